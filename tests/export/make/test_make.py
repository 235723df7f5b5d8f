"""The Make app says what the runtime does: every module and dropdown, executed against the sandbox."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from connector import Connector
from connector.core.service.wire import Wire
from connector.export import make
from connector.export.make.names import module_id, rpc_id
from connector.export.service_request import is_free_call
from connector.export.shape import ExportOptions
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.export.interpreter import runtime_requests
from tests.export.interpreter.make_form import flat
from tests.export.interpreter.rows import by_value, plain, shown
from tests.export.promised import PICKING
from tests.export.vendor_lint import vendor_findings
from tests.support.filled_in import all_inputs, needed_inputs

CONNECTOR = Connector("unused")
each_via = pytest.mark.parametrize("via", ["service", "host"])
ACTIONS = sorted(set(CONNECTOR.actions) - PICKING)
each_action = pytest.mark.parametrize("id", ACTIONS)
each_lookup = pytest.mark.parametrize("id", sorted(id for id, one in CONNECTOR.lookups.items() if one.request))


@each_via
@pytest.mark.parametrize("lang", ["en", "de"])
@pytest.mark.parametrize("with_writes", [False, True])
def test_nobody_finds_anything_against_it(via, lang, with_writes):
    export = make.build(CONNECTOR, ExportOptions(via=via, lang=lang, with_writes=with_writes))
    assert (export.findings, vendor_findings(export)) == ((), ())


def test_a_host_gives_it_everything_but_the_check_of_signatures():
    [unsigned] = make.build(CONNECTOR, ExportOptions(via="host")).dropped
    assert (unsigned.kind, unsigned.id) == ("check", "deliveries")
    assert "signature is not checked" in unsigned.reason.en


@each_via
def test_the_same_input_gives_the_same_bytes(via):
    first, second = (make.build(Connector("unused"), ExportOptions(via=via)) for _ in range(2))
    assert dict(first.files) == dict(second.files)


def test_labels_are_in_the_language_that_was_asked_for():
    index = json.loads(make.build(CONNECTOR, ExportOptions(lang="de", with_writes=True)).files["makecomapp.json"])
    assert index["components"]["module"]["listPayments"]["label"] == "Zahlungen auflisten"
    assert index["components"]["module"]["initiatePayment"]["label"] == "Zahlung auslösen"


def for_module(action, inputs):
    """Inputs as a module takes them: its call to any path only reads."""
    reads = {"method": "GET", "path": "/v2/banking/accounts"}
    return {name: reads.get(name, inputs[name]) for name in inputs if name in reads} if is_free_call(action) else inputs


@each_action
@pytest.mark.parametrize("filled", [all_inputs, needed_inputs])
def test_a_module_sends_what_the_runtime_sends(id, filled, make_session, make_engine):
    action = CONNECTOR.action(id)
    inputs = for_module(action, filled(action, make_session))
    module = module_id(action)
    expected = runtime_requests.of_action(make_session, id, inputs)
    assert make_engine.module_request(module, inputs).told() == expected.told()
    assert make_engine.run(module, inputs)


@each_action
def test_a_module_sends_what_the_runtime_sends_under_other_names(id, make_elsewhere):
    engine, session = make_elsewhere
    action = CONNECTOR.action(id)
    inputs = for_module(action, all_inputs(action, session))
    expected = runtime_requests.of_action(session, id, inputs)
    assert engine.module_request(module_id(action), inputs).told() == expected.told()
    assert engine.run(module_id(action), inputs)


@pytest.mark.parametrize("id", [id for id in ACTIONS if not CONNECTOR.action(id).writes])
def test_a_module_gives_what_the_action_gives(id, make_session, make_engine):
    """For reads, whose answers can be compared."""
    action = CONNECTOR.action(id)
    inputs = {**all_inputs(action, make_session)}
    output = make_session.invoke(id, inputs).output
    expected = output["items"] if action.is_list else [output]
    got = make_engine.run(module_id(action), {**inputs, "limit": 1000} if action.is_list else inputs)
    volatile = {"platform"}
    assert [plain(row, volatile) for row in got] == [plain(row, volatile) for row in expected]


USES = [(id, field.name) for id in ACTIONS for field in CONNECTOR.action(id).inputs if field.lookup]


@pytest.mark.parametrize(("id", "name"), USES)
def test_a_dropdown_in_a_form_asks_what_the_runtime_asks(id, name, make_session, make_engine):
    action = CONNECTOR.action(id)
    field = next(one for one in action.inputs if one.name == name)
    inputs = all_inputs(action, make_session)
    lookup = CONNECTOR.lookup(field.lookup.id)
    given = {}
    for own, source in field.lookup.with_.items():
        value = inputs.get(source[1:]) if isinstance(source, str) and source.startswith("$") else source
        if value is not None:
            given[own] = value
    parameter = next(one for one in flat(make_engine.form(module_id(action))) if one["name"] == name)
    store = parameter["options"]["store"] if isinstance(parameter["options"], dict) else parameter["options"]
    offered = [shown(option, hint=lookup.request is not None) for option in make_session.options(lookup.id, given)]
    assert by_value(make_engine.options(store, inputs)) == by_value(offered)
    if lookup.request is not None:
        expected = runtime_requests.of_lookup(make_session, lookup, given)
        assert make_engine.rpc_request(store, inputs).told() == expected.told()


@each_lookup
def test_every_lookup_asks_what_the_runtime_asks(id, make_session, make_engine):
    lookup = CONNECTOR.lookup(id)
    inputs = all_inputs(lookup, make_session)
    query = "&".join(f"of_{name}={str(value).lower() if value is True else value}" for name, value in inputs.items())
    expected = runtime_requests.of_lookup(make_session, lookup, inputs)
    assert make_engine.rpc_request(f"rpc://{rpc_id(id)}?{query}", {}).told() == expected.told()
    assert make_engine.options(f"rpc://{rpc_id(id)}?{query}", {})


def test_fiscal_years_are_counted_from_now(make_session, make_engine):
    values = [option["value"] for option in make_engine.options("rpc://optionsFiscalYears", {})]
    assert values == [option.value for option in make_session.options("fiscal_years")]


def test_ids_beyond_a_double_and_amounts_of_fifteen_digits_pass_unchanged(sandbox, make_session, make_engine):
    sandbox.order_exact("/transactions", {"amount": Decimal("9999999999999.99")})
    newest = make_session.invoke("list_transactions", {"account_id": MAIN_ACCOUNT, "sort": "id"}).output["items"][-1]
    [row] = make_engine.run("getTransaction", {"id": newest["id"], "account_id": MAIN_ACCOUNT})
    assert (row["id"], repr(row["amount"])) == (newest["id"], "9999999999999.99")
    sent = make_engine.module_request("getTransaction", {"id": "900719925474099345", "account_id": "8101"})
    assert sent.url.partition("?")[0].endswith("/900719925474099345")
    amount = {**needed_inputs(CONNECTOR.action("initiate_payment"), make_session), "amount": "999999999999.99"}
    assert make_engine.module_request("initiatePayment", amount).body()["amount"] == Decimal("999999999999.99")


def test_a_parameter_that_the_service_does_not_have_is_left_out_and_reported():
    options = ExportOptions(wire=Wire.with_overrides({"folders": {"type": None}}))
    export = make.build(CONNECTOR, options)
    assert "list_invoice_folders.folder_type" in {one.id for one in export.dropped}
    form = json.loads(export.files["modules/listInvoiceFolders/listInvoiceFolders.mappable-params.iml.json"])
    assert "folder_type" not in {parameter["name"] for parameter in flat(form)}
    assert (export.findings, vendor_findings(export)) == ((), ())
