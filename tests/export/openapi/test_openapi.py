"""The OpenAPI export: valid, complete, its assumptions marked, and true of what is sent and answered."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import httpx
import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV30SpecValidator, OpenAPIV31SpecValidator

from connector import Connector, Credential
from connector.core.service.wire import BELIEVED, CHOICES, Wire
from connector.export import openapi
from connector.export.catalogue import as_zip
from connector.export.openapi.rules import METHODS, OLDER_FILE, lint
from connector.export.shape import ExportOptions
from tests.support.filled_in import all_inputs, needed_inputs

CONNECTOR = Connector("unused")
FILE = "openapi.json"


def build(via="service", **more):
    return openapi.build(CONNECTOR, ExportOptions(via=via, **{"wire": Wire.load({}), **more}))


SENDING = sorted(build().holds["actions"])


def document(export):
    return json.loads(export.files[FILE])


SERVICE = document(build(with_writes=True))


@pytest.mark.parametrize("via", ["service", "host"])
def test_it_is_openapi_and_the_lint_finds_nothing(via):
    export = build(via)
    assert [str(error) for error in OpenAPIV31SpecValidator(document(export)).iter_errors()] == []
    assert export.findings == ()


@pytest.mark.parametrize("via", ["service", "host"])
def test_the_older_version_is_openapi_3_0_and_says_the_same(via):
    export = build(via)
    newer, older = document(export), json.loads(export.files[OLDER_FILE])
    assert [str(error) for error in OpenAPIV30SpecValidator(older).iter_errors()] == []
    assert list(older["paths"]) == list(newer["paths"])
    assert list(older["components"]["schemas"]) == list(newer["components"]["schemas"])
    newer_only = {"const", "contentEncoding", "webhooks"}
    assert not [
        one for one in walk(older) if isinstance(one, dict) and (newer_only & set(one) or one.get("type") == "null")
    ]


@pytest.mark.parametrize("via", ["service", "host"])
def test_every_answer_that_holds_json_says_what_it_holds(via):
    for path, methods in document(build(via))["paths"].items():
        for method, operation in methods.items():
            for status, answer in operation.get("responses", {}).items() if method in METHODS else ():
                for content in answer.get("content", {}).values():
                    assert content["schema"], (method, path, status)


@pytest.mark.parametrize("via", ["service", "host"])
def test_every_manifest_is_there_or_its_absence_has_a_reason(via):
    export = build(via)
    for kind in ("actions", "lookups", "triggers"):
        left_out = {one.id for one in export.dropped if one.kind == kind.rstrip("s") and one.reason.en}
        assert set(getattr(CONNECTOR, kind)) == export.holds[kind] | left_out


def test_what_it_holds_is_really_in_the_document():
    export = build()
    operations = [operation for methods in SERVICE["paths"].values() for operation in methods.values()]
    ids = {operation["operationId"] for operation in operations}
    for id in export.holds["actions"]:
        assert any(one == id or one.startswith(f"{id}_") for one in ids)
    assert {id for one in operations for id in one.get("x-lookups", ())} == export.holds["lookups"]
    polled = {id for one in operations for id in one.get("x-triggers", ())}
    events = {id for id in export.holds["triggers"] if CONNECTOR.trigger(id).source == "event"}
    assert polled | events == export.holds["triggers"]
    for id in events:
        assert set(CONNECTOR.trigger(id).events) <= set(SERVICE["webhooks"])


@pytest.mark.parametrize("via", ["service", "host"])
def test_the_same_input_gives_the_same_bytes(via):
    assert as_zip(build(via)) == as_zip(openapi.build(Connector("unused"), ExportOptions(via=via, wire=Wire.load({}))))


def test_every_assumed_name_is_marked_and_a_given_one_is_not():
    marked = {
        key for one in walk(SERVICE) if isinstance(one, dict) and "x-wire-key" in one for key in [one["x-wire-key"]]
    }
    assert marked == set(Wire.load({})) - set(CHOICES) - {BELIEVED}, "those two are no names"
    given = Wire.with_overrides({"opos": {"cutoff": "per"}})
    tree = document(build(wire=given))
    parameters = tree["paths"]["/v2/ledger-rewe-read/opos"]["get"]["parameters"]
    assert "x-assumed" not in next(one for one in parameters if one["name"] == "per")


def test_a_host_has_a_path_for_each_action_lookup_and_poll():
    paths = document(build("host"))["paths"]
    assert {f"/v1/actions/{id}/run" for id in CONNECTOR.actions} <= set(paths)
    assert {f"/v1/lookups/{id}" for id in CONNECTOR.lookups} <= set(paths)
    assert {f"/v1/triggers/{id}/poll" for id, one in CONNECTOR.triggers.items() if one.source == "poll"} <= set(paths)
    assert document(build("host", host_url="https://h.example"))["servers"] == [{"url": "https://h.example"}]


def walk(node):
    yield node
    for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from walk(inner)


@pytest.fixture
def session(sandbox, tmp_path):
    sandbox.order("/limits", limit=1_000_000)
    connector = Connector(str(tmp_path))
    with connector.open(Credential(sandbox.url, "sandbox-key", quelle="API", wire=Wire.load({}))) as session:
        yield session
    connector.close()


def operation_for(method, path):
    for template, methods in SERVICE["paths"].items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path) and method.lower() in methods:
            return methods[method.lower()]
    raise AssertionError(f"{method} {path} is not in the document")


def check(value, schema):
    tree = {**schema, "components": SERVICE["components"]}
    errors = [
        f"{list(error.absolute_path)}: {error.message}" for error in Draft202012Validator(tree).iter_errors(value)
    ]
    assert errors == []


def told(value):
    """The answer without nulls: for what was not given, the sandbox sends them also where nothing calls for it."""
    if isinstance(value, dict):
        return {name: told(item) for name, item in value.items() if item is not None}
    return [told(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("filled", [all_inputs, needed_inputs])
@pytest.mark.parametrize("id", SENDING)
def test_what_the_runtime_sends_and_the_service_answers_fits_the_document(id, filled, session, sandbox):
    shown = session.invoke(id, filled(CONNECTOR.action(id), session), dry_run=True).output
    url = httpx.URL(shown["url"])
    operation = operation_for(shown["method"], url.path)
    declared = {one["name"]: one for one in operation.get("parameters", []) if one["in"] == "query"}
    assert set(url.params) <= set(declared)
    assert {name for name, one in declared.items() if one.get("required")} <= set(url.params)
    body = json.loads(json.dumps(shown["body"], default=float))
    asked = operation.get("requestBody")
    if asked and (body is not None or asked["required"]):
        check(body, operation["requestBody"]["content"]["application/json"]["schema"])
    else:
        assert body is None
    answer = sandbox.api.request(shown["method"], f"{url.path}?{url.query.decode()}", json=body)
    assert answer.status_code < 300, answer.text
    check(told(answer.json()), operation["responses"]["200"]["content"]["application/json"]["schema"])


FAULTS = {
    "points to nothing": lambda tree: tree["components"]["schemas"].pop("Payment"),
    "no operationId": lambda tree: tree["paths"]["/v2/banking/accounts"]["get"].pop("operationId"),
    "shares its operationId": lambda tree: tree["paths"]["/v2/banking/accounts"]["get"].update(
        operationId="list_payments"
    ),
    "no summary": lambda tree: tree["paths"]["/v2/banking/accounts"]["get"].pop("summary"),
    "does not declare {id}": lambda tree: tree["paths"]["/v2/banking/payments/{id}"]["get"].pop("parameters"),
    "2 times": lambda tree: tree["paths"]["/v2/banking/accounts"]["get"]["parameters"].append(
        {"name": "api", "in": "query"}
    ),
    "has a title": lambda tree: tree["components"]["schemas"]["Payment"].update(title="Pay"),
    "called Payment in generated code": lambda tree: tree["components"]["schemas"].update(payment={}),
    "asks for a key": lambda tree: tree["components"].pop("securitySchemes"),
}


@pytest.mark.parametrize("words", FAULTS)
def test_the_lint_catches(words):
    export = build()
    tree = document(export)
    FAULTS[words](tree)
    found = lint(replace(export, files={**export.files, FILE: json.dumps(tree).encode()}))
    assert any(words in one.message for one in found)
