"""The Power Automate connector says what the runtime does: every operation and dropdown, against the sandbox."""

from __future__ import annotations

from decimal import Decimal

import pytest

from connector import Connector
from connector.core.service.wire import Wire
from connector.export import power_automate
from connector.export.power_automate.names import operation_id
from connector.export.service_request import service_request
from connector.export.shape import ExportOptions
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.export.interpreter import runtime_requests
from tests.export.interpreter.power_engine import PowerEngine, read
from tests.export.interpreter.rows import by_value, entered, shown
from tests.export.vendor_lint import vendor_findings
from tests.support.filled_in import all_inputs, needed_inputs

CONNECTOR = Connector("unused")
SERVICE_ACTIONS = sorted(power_automate.build(CONNECTOR, ExportOptions(with_writes=True)).holds["actions"])
each_via = pytest.mark.parametrize("via", ["service", "host"])
each_action = pytest.mark.parametrize("id", SERVICE_ACTIONS)
each_lookup = pytest.mark.parametrize("id", sorted(CONNECTOR.lookups))


@each_via
@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("with_writes", [False, True])
def test_nobody_finds_anything_against_it(via, lang, with_writes):
    options = ExportOptions(via=via, lang=lang, with_writes=with_writes)
    export = power_automate.build(CONNECTOR, options)
    assert (export.findings, vendor_findings(export)) == ((), ())


def test_a_host_gives_it_everything_but_the_check_of_signatures():
    [unsigned] = power_automate.build(CONNECTOR, ExportOptions(via="host")).dropped
    assert (unsigned.kind, unsigned.id) == ("check", "deliveries")
    assert "signature is not checked" in unsigned.reason.en


@each_via
def test_the_same_input_gives_the_same_bytes(via):
    first, second = (power_automate.build(Connector("unused"), ExportOptions(via=via)) for _ in range(2))
    assert dict(first.files) == dict(second.files)


def test_the_script_says_that_it_was_not_tried_on_the_platform():
    files = power_automate.build(CONNECTOR, ExportOptions()).files
    assert b"not the platform's own" in files["script.csx"]
    assert b"not the platform's own" in files["readme.md"]


@each_action
@pytest.mark.parametrize("filled", [all_inputs, needed_inputs])
def test_an_operation_sends_what_the_runtime_sends(id, filled, power_session, power_engine):
    action = CONNECTOR.action(id)
    inputs = filled(action, power_session)
    given, body = entered(action, inputs, power_session.credential.wire)
    sent = power_engine.request(operation_id(action), given, body)
    assert sent.told() == runtime_requests.of_action(power_session, id, inputs).told()
    assert sent.send().status_code in (200, 201)


@each_action
def test_an_operation_sends_what_the_runtime_sends_under_other_names(id, power_elsewhere):
    engine, session = power_elsewhere
    action = CONNECTOR.action(id)
    inputs = all_inputs(action, session)
    sent = engine.request(operation_id(action), *entered(action, inputs, session.credential.wire))
    assert sent.told() == runtime_requests.of_action(session, id, inputs).told()
    assert sent.send().status_code in (200, 201)


@each_lookup
def test_every_lookup_asks_what_the_runtime_asks(id, power_session, power_engine):
    lookup = CONNECTOR.lookup(id)
    if lookup.request is None:
        assert power_engine.routes[operation_id(lookup)]["options"]
        return
    inputs = all_inputs(lookup, power_session)
    given, _ = entered(lookup, inputs, power_session.credential.wire)
    sent = power_engine.request(operation_id(lookup), given)
    assert sent.told() == runtime_requests.of_lookup(power_session, lookup, inputs).told()
    assert sent.send().status_code == 200


@pytest.mark.parametrize(
    ("id", "name"),
    [(id, field.name) for id in SERVICE_ACTIONS for field in CONNECTOR.action(id).inputs if field.lookup],
)
def test_a_dropdown_offers_what_the_runtime_offers(id, name, power_session, power_engine):
    action = CONNECTOR.action(id)
    field = next(one for one in action.inputs if one.name == name)
    inputs = all_inputs(action, power_session)
    wire = power_session.credential.wire
    given, body = entered(action, inputs, wire)
    form = {**given, **{f"body/{key}": value for key, value in body.items()}}
    request = service_request(action, wire)
    places = {one.field.name: f"body/{one.name}" for one in request.body} | {
        one.field.name: one.name for one in request.query
    }
    asked = {}
    for own, source in field.lookup.with_.items():
        value = inputs.get(source[1:]) if isinstance(source, str) and source.startswith("$") else source
        if value is not None:
            asked[own] = value
    sent, options = power_engine.options(operation_id(action), places.get(name, name), form)
    lookup = CONNECTOR.lookup(field.lookup.id)
    offered = [shown(option, hint=lookup.request is not None) for option in power_session.options(lookup.id, asked)]
    assert by_value(options) == by_value(offered)
    if sent is not None:
        assert sent.told() == runtime_requests.of_lookup(power_session, lookup, asked).told()


def test_answers_are_as_the_definition_describes_them(power_session, power_engine):
    """Whatever stands in an answer of the sandbox stands in the schema of its operation too, where it is described."""
    for id in SERVICE_ACTIONS:
        action = CONNECTOR.action(id)
        if action.resource == "FreeForm":
            continue
        inputs = all_inputs(action, power_session)
        sent = power_engine.request(operation_id(action), *entered(action, inputs, power_session.credential.wire))
        schema = power_engine.operations[operation_id(action)][2]["responses"]["200"]["schema"]
        assert _fits(read(sent.send()), schema, id) > 0, f"nothing in the answer of {id} is described"


def _fits(value, schema, where):
    """How many values stand in the answer that the schema describes; whatever it does not describe fails."""
    if isinstance(value, dict) and "properties" in schema:
        strange = set(value) - set(schema["properties"]) - {"platform", "ledgerAntwort"}
        assert not strange, (where, strange)
        known = set(value) & set(schema["properties"]) - {"belegbilder"}  # whose fields are not described
        return sum(_fits(value[name], schema["properties"][name], f"{where}.{name}") for name in known)
    if isinstance(value, list):
        assert schema["type"] == "array", where
        return sum(_fits(item, schema["items"], where) for item in value[:3])
    fits = {"string": str, "number": (int, Decimal), "integer": int, "boolean": bool, "object": dict}
    assert value is None or isinstance(value, fits[schema["type"]]), where
    return 1


def test_ids_beyond_a_double_and_amounts_of_fifteen_digits_pass_unchanged(sandbox, power_session, power_engine):
    sandbox.order_exact("/transactions", {"amount": Decimal("9999999999999.99")})
    newest = power_session.invoke("list_transactions", {"account_id": MAIN_ACCOUNT, "sort": "id"}).output["items"][-1]
    sent = power_engine.request("GetTransaction", {"id": newest["id"], "account_id": MAIN_ACCOUNT})
    row = read(sent.send())["data"]
    assert (row["id"], row["amount"]) == (newest["id"], Decimal("9999999999999.99"))
    assert power_engine.parameters("GetTransaction")[0]["type"] == "string"
    payment = needed_inputs(CONNECTOR.action("initiate_payment"), power_session)
    sent = power_engine.request("InitiatePayment", {}, {**payment, "amount": "999999999999.99"})
    assert sent.body()["amount"] == Decimal("999999999999.99")


def test_a_parameter_that_the_service_does_not_have_is_left_out_and_reported():
    options = ExportOptions(wire=Wire.with_overrides({"folders": {"type": None}}))
    export = power_automate.build(CONNECTOR, options)
    assert "list_invoice_folders.folder_type" in {one.id for one in export.dropped}
    assert "ordnertyp" not in {one["name"] for one in PowerEngine(export, {}).parameters("ListInvoiceFolders")}
    assert (export.findings, vendor_findings(export)) == ((), ())
