"""What an agent sees and may do, asked with the protocol's own client against a server in the same process."""

from __future__ import annotations

import json
from contextlib import asynccontextmanager
from decimal import Decimal

import pytest
from mcp import Client, MCPError
from mcp_types import ElicitResult, InputRequiredResult, ResourceTemplateReference

from connector import Connector, Credential
from connector.interfaces.mcp import build_server
from connector.interfaces.mcp.run_tools import LIST_RUNS, SETTLE_RUN, run_tools
from connector.interfaces.mcp.tools import LIST_OPTIONS, all_tools
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.sandbox.ledger.demo import ledger_connection_id
from tests.interfaces.mcp.person import Person, with_person

NORDLICHT = ledger_connection_id("nordlicht")
MANIFESTS = Connector("unused")
PAYMENT = {"creditor_name": "Reifen Voss KG", "creditor_iban": "DE02120300000000202051", "amount": 12.5}


def text_of(result):
    return "\n".join(part.text for part in result.content)


def exact(result):
    return json.loads(result.content[0].text, parse_float=Decimal)


async def paying_account(client):
    options = await client.call_tool(LIST_OPTIONS, {"lookup": "bank_accounts", "inputs": {"payments_only": True}})
    return options.structured_content["options"][0]["value"]


async def test_every_action_is_a_tool_and_nothing_else_but_dropdowns_and_unknown_runs(server):
    async with Client(server) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
    assert names == [*MANIFESTS.actions, LIST_OPTIONS, LIST_RUNS, SETTLE_RUN]


@pytest.mark.parametrize("tool", all_tools(MANIFESTS, "en"), ids=lambda tool: tool.name)
def test_a_tools_annotations_follow_from_its_effect(tool):
    said = tool.annotations
    if tool.name == LIST_OPTIONS:
        assert said.read_only_hint is True
        return
    action = MANIFESTS.action(tool.name)
    assert said.read_only_hint is (action.effect == "read")
    # By the protocol it means something for writes only.
    assert said.idempotent_hint is ((action.repeat != "duplicates") if action.writes else None)
    assert said.destructive_hint is (action.effect == "update" or action.moves is not None)
    assert said.open_world_hint is True
    assert "confirm" not in tool.input_schema["properties"]
    assert ("key" in tool.input_schema["properties"]) is action.writes


def test_a_payment_says_that_repeating_it_pays_again():
    payment = next(tool for tool in all_tools(MANIFESTS, "en") if tool.name == "initiate_payment")
    assert payment.annotations.idempotent_hint is False
    assert payment.annotations.read_only_hint is False
    assert payment.input_schema["required"] == ["account_id", "creditor_name", "creditor_iban", "amount"]


def payments(sandbox):
    return [row["method"] for row in sandbox.requests() if row["path"] == "/v2/banking/payments"].count("POST")


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_payment_is_sent_when_the_person_confirms_exactly_it(server, sandbox, mode):
    person = Person()
    async with with_person(server, person, mode) as client:
        account = await paying_account(client)
        done = await client.call_tool("initiate_payment", {**PAYMENT, "account_id": account})
    assert not done.is_error, text_of(done)
    assert done.structured_content["output"]["status"] == "initiated"
    [asked] = person.asked
    for value in ("Initiate payment", "12.5", PAYMENT["creditor_iban"], PAYMENT["creditor_name"]):
        assert value in asked
    assert payments(sandbox) == 1


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(
    "person",
    [Person("decline"), Person("cancel"), Person(confirm=False), Person(confirm="true")],
    ids=["declines", "closes the dialogue", "leaves the box empty", "answers with a text"],
)
async def test_a_payment_that_the_person_does_not_confirm_is_not_sent(server, sandbox, mode, person):
    async with with_person(server, person, mode) as client:
        account = await paying_account(client)
        before = len(sandbox.requests())
        refused = await client.call_tool("initiate_payment", {**PAYMENT, "account_id": account})
    assert refused.is_error
    assert refused.structured_content["error"]["outcome"] == "not_sent"
    assert len(sandbox.requests()) == before


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_finding_4_an_agent_cannot_confirm_for_its_person(server, sandbox, mode):
    async with Client(server, mode=mode) as client:
        account = await paying_account(client)
        before = len(sandbox.requests())
        big = {**PAYMENT, "account_id": account, "amount": 5000}
        url = {"webhook_url": "https://hooks.muster.example/kontor"}
        for name, arguments in (("initiate_payment", big), ("set_webhook_url", url)):
            refused = await client.call_tool(name, arguments)
            assert refused.is_error
            assert refused.structured_content["error"]["kind"] == "right_missing"
            assert "console" in refused.structured_content["error"]["remedy"]["en"]
            assert refused.structured_content["request"]["body"]
            claimed = await client.call_tool(name, {**arguments, "confirm": True})
            assert claimed.is_error
            assert claimed.structured_content["error"]["field"] == "confirm", "the word has no meaning any more"
    assert {one["method"] for one in sandbox.requests()[before:]} <= {"GET"}, "who was paid before is looked up"


async def test_an_answer_counts_only_for_the_call_that_was_asked_about(server, sandbox):
    """A client that sends an answer without having been asked, or to another question, is asked."""
    async with with_person(server, Person("decline")) as client:
        account = await paying_account(client)
        before = len(sandbox.requests())
        said_yes = ElicitResult(action="accept", content={"confirm": True})
        for state in (None, "0" * 64):
            answer = await client.session.call_tool(
                "initiate_payment",
                {**PAYMENT, "account_id": account},
                input_responses={"confirm": said_yes},
                request_state=state,
                allow_input_required=True,
            )
            assert isinstance(answer, InputRequiredResult)
    assert len(sandbox.requests()) == before


async def test_a_server_for_reading_offers_and_runs_no_write(connector, sandbox):
    @asynccontextmanager
    async def opened(request):
        async with connector.open(Credential(sandbox.url, "sandbox-key", quelle="mcp")) as session:
            yield session

    async with with_person(build_server(connector, opened, read_only=True)) as client:
        tools = (await client.list_tools()).tools
        assert all(tool.annotations.read_only_hint for tool in tools)
        assert "list_payments" in {tool.name for tool in tools}
        for name in ("initiate_payment", "call_api", SETTLE_RUN):
            refused = await client.call_tool(name, {})
            assert refused.structured_content["error"]["field"] == "name"


@pytest.mark.parametrize("lang", ["en", "de"])
def test_what_is_told_of_all_tools_takes_little_of_an_agents_context(lang):
    """The forms of answers are for clients, which hold what they get against them."""
    tools = [*all_tools(MANIFESTS, lang), *run_tools(lang)]
    told = [tool.model_dump_json(by_alias=True, exclude_none=True, exclude={"output_schema"}) for tool in tools]
    assert sum(map(len, told)) / 4 <= 6000, "a token is about four characters"
    for tool in tools:
        assert len(tool.model_dump_json(by_alias=True, exclude_none=True)) <= 6000, tool.name


async def test_the_same_key_pays_once(server, sandbox):
    async with with_person(server) as client:
        account = await paying_account(client)
        call = {**PAYMENT, "account_id": account, "key": "task-17-step-2"}
        first = await client.call_tool("initiate_payment", call)
        second = await client.call_tool("initiate_payment", call)
    assert first.structured_content["output"]["id"] == second.structured_content["output"]["id"]
    assert second.structured_content["replayed"] is True
    assert [row["method"] for row in sandbox.requests() if row["path"] == "/v2/banking/payments"].count("POST") == 1


async def test_a_free_call_of_the_api_may_read_without_confirmation_but_not_write(server, sandbox):
    async with Client(server) as client:
        read = await client.call_tool("call_api", {"path": "/v2/banking/accounts"})
        before = len(sandbox.requests())
        write = await client.call_tool(
            "call_api", {"method": "POST", "path": "/v2/banking/payments", "body": {"amount": 1}}
        )
    assert not read.is_error
    assert write.is_error
    assert len(sandbox.requests()) == before


async def test_options_follow_what_was_chosen_before(server):
    async with Client(server) as client:
        found = await client.call_tool(
            LIST_OPTIONS, {"lookup": "cash_books", "inputs": {"ledger_connection": NORDLICHT}, "search": "laden"}
        )
        missing = await client.call_tool(LIST_OPTIONS, {"lookup": "cash_books"})
    assert [option["value"] for option in found.structured_content["options"]] == ["Ladenkasse"]
    assert missing.is_error
    assert missing.structured_content["error"]["field"] == "ledger_connection"


async def test_options_come_in_pages(server):
    async with Client(server) as client:
        first = await client.call_tool(LIST_OPTIONS, {"lookup": "payments", "limit": 1})
        after = first.structured_content["next"]
        second = await client.call_tool(LIST_OPTIONS, {"lookup": "payments", "limit": 1, "after": after})
        wrong = await client.call_tool(LIST_OPTIONS, {"lookup": "payments", "limit": 0})
    assert [one["value"] for one in first.structured_content["options"]] == [after]
    assert int(second.structured_content["options"][0]["value"]) < int(after)
    assert wrong.structured_content["error"]["field"] == "limit"


async def test_an_error_says_what_to_do(server, sandbox):
    async with Client(server) as client:
        wrong = await client.call_tool("get_payment", {"id": "1"})
        unknown_input = await client.call_tool("get_payment", {"id": "1", "nonsense": 1})
        unknown_tool = await client.call_tool("pay_everybody", {})
        unknown_lookup = await client.call_tool(LIST_OPTIONS, {"lookup": "cashbooks"})
        odd = await client.call_tool(LIST_OPTIONS, {"lookup": "currencies", "inputs": [1]})
    error = wrong.structured_content["error"]
    assert (wrong.is_error, error["kind"]) == (True, "not_found")
    assert error["remedy"]["en"] in text_of(wrong)
    assert unknown_input.structured_content["error"]["field"] == "nonsense"
    assert unknown_tool.is_error
    assert "cash_books" in text_of(unknown_lookup)
    assert odd.structured_content["error"]["field"] == "inputs"


async def test_no_answer_holds_the_key(server):
    async with Client(server) as client:
        echoed = await client.call_tool("get_payment", {"id": "sandbox-key"})
    assert "sandbox-key" not in echoed.model_dump_json()


async def test_long_ids_and_long_amounts_arrive_as_they_are(server, sandbox):
    amount = Decimal("1234567890123.45")
    sandbox.order_exact("/transactions", {"account_id": MAIN_ACCOUNT, "amount": amount})
    call = {"account_id": MAIN_ACCOUNT, "sort": "id"}
    async with Client(server) as client:
        listed = await client.call_tool("list_transactions", call)
        while (mark := listed.structured_content.get("next")) is not None:  # the newest is on the last page
            listed = await client.call_tool("list_transactions", {**call, "page": mark})
    newest, shown = exact(listed)["output"]["items"][-1], listed.structured_content["output"]["items"][-1]
    assert newest["amount"] == amount == Decimal(repr(shown["amount"]))
    assert newest["id"] == shown["id"]
    assert int(newest["id"]) > 2**53


async def test_manifests_can_be_read_and_their_ids_completed(server):
    async with Client(server) as client:
        listed = {str(one.uri) for one in (await client.list_resources()).resources}
        for kind in ("actions", "lookups", "triggers"):
            assert {f"kontor://{kind}/{id}" for id in getattr(MANIFESTS, kind)} <= listed
        read = await client.read_resource("kontor://actions/get_open_items")
        assert json.loads(read.contents[0].text)["cost"] == {"credits": 5}
        with pytest.raises(MCPError, match="no resource"):
            await client.read_resource("kontor://actions/nothing")
        found = await client.complete(
            ResourceTemplateReference(type="ref/resource", uri="kontor://actions/{id}"),
            {"name": "id", "value": "list_"},
        )
    assert "list_payments" in found.completion.values
    assert all(id.startswith("list_") for id in found.completion.values)
