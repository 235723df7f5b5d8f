"""Every tool says what its answer is made of, and every answer fits: clients show nothing of one that does not."""

from __future__ import annotations

import json
import re
from contextlib import asynccontextmanager
from decimal import Decimal

import httpx
import pytest
from jsonschema import Draft202012Validator
from mcp import Client

from connector import Connector, Credential
from connector.core.manifest.resource_schema import fields_of
from connector.interfaces.mcp import build_server
from connector.interfaces.mcp.results import to_json_types
from connector.interfaces.mcp.run_tools import LIST_RUNS, SETTLE_RUN, run_tools
from connector.interfaces.mcp.tools import LIST_OPTIONS, all_tools
from tests.interfaces.mcp.person import with_person
from tests.support.filled_in import needed_inputs

MANIFESTS = Connector("unused")
TOOLS = [*all_tools(MANIFESTS, "en"), *run_tools("en")]
RESOURCES = MANIFESTS.library.resources
ACCOUNT = {"id": "1", "name": "Giro", "balance": 12.5}
each_tool = pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)


def validator(tool):
    return Draft202012Validator(tool.output_schema)


@each_tool
def test_a_tool_names_every_field_of_its_resource_and_of_those_inside_and_nothing_else(tool):
    validator(tool).check_schema(tool.output_schema)
    definitions = tool.output_schema.get("$defs", {})
    used = set(re.findall(r"#/\$defs/(\w+)", json.dumps(tool.output_schema)))
    assert used == set(definitions)
    for name, schema in definitions.items():
        assert set(schema["properties"]) == set(fields_of(name, RESOURCES))
    action = MANIFESTS.actions.get(tool.name)
    assert (action is not None and action.resource in RESOURCES) is bool(definitions)


@each_tool
def test_the_sample_of_its_manifest_fits_and_so_do_an_error_and_a_run_that_waits(tool):
    error = {"ok": False, "error": {"message": "no", "remedy": {"en": "yes", "de": "ja"}}}
    for document in (error, {"ok": True, "state": "awaiting_approval", "run": None}, {"ok": True, "output": None}):
        validator(tool).validate(document)
    if tool.name in MANIFESTS.actions:
        sample = to_json_types(MANIFESTS.action(tool.name).sample)
        validator(tool).validate({"ok": True, "output": sample, "credits": {"cost": 0}})


async def test_what_every_tool_answers_fits_and_nothing_is_left_out(server, sandbox, connector):
    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        calls = {id: needed_inputs(action, session) for id, action in MANIFESTS.actions.items()}
    calls |= {LIST_OPTIONS: {"lookup": "bank_accounts"}, LIST_RUNS: {}}
    async with with_person(server) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for name, arguments in calls.items():
            answer = await client.call_tool(name, to_json_types(arguments))
            assert not answer.is_error, answer.content[0].text
            validator(tools[name]).validate(answer.structured_content)
            told = json.loads(answer.content[0].text, parse_float=Decimal)
            assert answer.structured_content == to_json_types(told), name
        sandbox.fail("drop_after", method="POST", path="/v2/ledger-duo/kassenbuch-advanced")
        entry = {**to_json_types(calls["create_cash_book_entry"]), "again": True}
        unknown = await client.call_tool("create_cash_book_entry", entry)
        [run] = (await client.call_tool(LIST_RUNS, {})).structured_content["runs"]
        settled = await client.call_tool(SETTLE_RUN, {"run": run["run"], "happened": False})
    assert unknown.structured_content["error"]["outcome"] == "unknown"
    validator(tools[LIST_RUNS]).validate({"ok": True, "runs": [run]})
    validator(tools[SETTLE_RUN]).validate(settled.structured_content)
    assert settled.structured_content["run"]["run"] == run["run"]


async def answer_to(rows, tmp_path):
    """What the tool answers where the service lists these accounts."""
    connector = Connector(str(tmp_path))
    service = httpx.MockTransport(lambda request: httpx.Response(200, text=json.dumps({"data": rows})))

    @asynccontextmanager
    async def opened(request):
        async with connector.open(Credential("https://service.example", "key"), transport=service) as session:
            yield session

    async with Client(build_server(connector, opened)) as client:
        return await client.call_tool("list_bank_accounts", {})


@pytest.mark.parametrize(
    ("name", "value"), [("name", ["Giro"]), ("balance", [1]), ("extra", "DE89"), ("can_hide", "no"), ("id", {"a": 1})]
)
async def test_what_the_service_sends_in_another_form_stands_in_the_text_and_hides_nothing_else(name, value, tmp_path):
    """A client that finds an answer not fitting would throw all of it away."""
    answer = await answer_to([{**ACCOUNT, name: value}, ACCOUNT], tmp_path)
    assert not answer.is_error
    first, second = answer.structured_content["output"]["items"]
    assert name not in first
    assert {**first, name: None} == {**ACCOUNT, name: None}
    assert second == ACCOUNT
    assert value in json.loads(answer.content[0].text)["output"]["items"][0].values()
    assert f"output.items[].{name}" in answer.content[-1].text


async def test_what_nobody_described_and_what_is_null_stay(tmp_path):
    rows = [{**ACCOUNT, "new": [1, {"a": None}], "balance": None, "extra": {"iban": None}}]
    answer = await answer_to(rows, tmp_path)
    assert answer.structured_content["output"]["items"] == rows
