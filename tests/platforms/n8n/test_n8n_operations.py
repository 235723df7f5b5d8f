"""Every operation and dropdown on n8n's own engine sends what the runtime sends, and brings back what it brings."""

from __future__ import annotations

import base64
import json
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.core.manifest.model import Action
from connector.core.service.wire import Wire
from connector.export.catalogue import export
from connector.export.n8n.dropdowns import Dropdowns
from connector.export.n8n.fields import place_of
from connector.export.shape import ExportOptions
from connector.runtime.session import Session
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.platforms.marks import unmarked
from tests.platforms.n8n.engine.n8n_engine import Engine, Refusal, Stand, chosen
from tests.support.filled_in import NORDLICHT, all_inputs, required_inputs
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
HELD = export("n8n", CONNECTOR, ExportOptions(wire=Wire.load({}))).holds
CASH = CONNECTOR.action("create_cash_book_entry")
LINE = {"betrag": "-41.65", "belegtext": "Druckerpapier", "gegenkonto": "4930"}
ENTRY = {
    "ledger_connection": NORDLICHT,
    "kassenname": "Ladenkasse",
    "betrag": "-41.65",
    "transaktionsdatum": "2026-05-04T10:30:00+02:00",
    "belegzeilen": [LINE],
}


def sent(record: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return [(one["method"], one["path"], one["query"], unmarked(one["body"]), one["dropdown"]) for one in record]


def last_sent(sandbox: RunningSandbox) -> tuple[Any, ...]:
    return sent(sandbox.requests())[-1]


@pytest.mark.parametrize("fill", [all_inputs, required_inputs], ids=["all inputs", "required inputs"])
@pytest.mark.parametrize("id", sorted(HELD["actions"]))
def test_an_operation_sends_what_the_runtime_sends(
    id: str, fill: Any, stand: Stand, session: Session, sandbox: RunningSandbox
) -> None:
    action = CONNECTOR.action(id)
    inputs = fill(action, session)
    expected = session.invoke(id, inputs).output
    by_runtime = last_sent(sandbox)
    sandbox.order("/reset", seed=1)
    sandbox.order("/limits", limit=1_000_000)
    rows = stand.run(action, inputs)
    assert last_sent(sandbox) == by_runtime
    told = expected["items"] if action.is_list else [expected]
    assert [set(row) for row in rows] == [set(row) for row in told]


@pytest.mark.parametrize("id", sorted(HELD["lookups"]))
def test_a_dropdown_offers_what_the_runtime_offers(
    id: str, stand: Stand, session: Session, sandbox: RunningSandbox
) -> None:
    for manifest in [*CONNECTOR.actions.values(), *CONNECTOR.triggers.values()]:
        for field in manifest.inputs:
            if field.lookup is None or field.lookup.id != id:
                continue
            method, _ = Dropdowns(frozenset(HELD["lookups"])).method(manifest, field)
            parameters, inputs = _chosen(manifest, field, session)
            expected = session.options(id, inputs).options
            balance = sandbox.balance()
            node = "kontor" if manifest.kind == "action" else "kontorTrigger"
            offered = stand.options(method, parameters, node)
            none = [("", "- None -")] if not field.required and field.default is None else []
            told = [*none, *((one.value, one.label) for one in expected)]
            assert [(one["value"], one["name"]) for one in offered] == told
            assert sandbox.balance() == balance
            if CONNECTOR.lookup(id).request is not None:
                assert last_sent(sandbox) in sent(sandbox.requests())[:-1]


def _chosen(manifest: Any, field: Any, session: Session) -> tuple[dict[str, Any], dict[str, Any]]:
    """What stands in the form already, and what that makes of the lookup's inputs."""
    this_year = f"{session.clock.utcnow():%Y}-01-01"
    others = {"ledger_connection": NORDLICHT, "geschaeftsjahrStartDatum": this_year}
    fields = {one.name: one for one in manifest.inputs}
    # n8n drops what the chosen operation does not show.
    parameters: dict[str, Any] = dict(chosen(manifest)) if isinstance(manifest, Action) else {}
    inputs: dict[str, Any] = {}
    for name, source in field.lookup.with_.items():
        if isinstance(source, str) and source.startswith("$"):
            value = others.get(source[1:])
            if value is not None:
                inputs[name] = parameters[place_of(fields[source[1:]])] = value
        else:
            inputs[name] = source
    return parameters, inputs


def test_a_dropdown_that_depends_on_another_says_what_is_missing(stand: Stand) -> None:
    with pytest.raises(Refusal, match=r"^Choose this first: Ledger connection\."):
        stand.options("cash_books_by_ledger_connection_by_client", {})


CASH_BOOKS = "cash_books_by_ledger_connection_by_client"


def test_a_search_finds_every_word_in_label_and_value_and_asks_the_service_no_further(
    stand: Stand, sandbox: RunningSandbox
) -> None:
    whole = stand.options(CASH_BOOKS, {"ledger_connection": NORDLICHT})
    asked = len(sandbox.requests())
    found = stand.options(CASH_BOOKS, {"ledger_connection": NORDLICHT}, search="LADEN kasse")
    assert [one["value"] for one in found] == ["Ladenkasse"]
    assert stand.options(CASH_BOOKS, {"ledger_connection": NORDLICHT}, search="no such book") == []
    assert len(sandbox.requests()) == asked
    assert stand.options(CASH_BOOKS, {"ledger_connection": NORDLICHT}) == whole  # opened again, it is read again
    assert len(sandbox.requests()) == asked + 1


def test_a_long_list_comes_page_by_page_and_a_lost_place_is_told(stand: Stand) -> None:
    first, next = stand.page("currencies", {})
    later, end = stand.page("currencies", {}, after=next)
    assert (len(first), next, end) == (100, first[-1]["value"], None)
    assert [one["value"] for one in [*first, *later]] == [one["value"] for one in stand.options("currencies", {})]
    with pytest.raises(Refusal, match=r"no option 'nothing'.*Begin again at the top") as caught:
        stand.page("currencies", {}, after="nothing")
    assert caught.value.message


@pytest.mark.parametrize("entered", ["text", "list", "id", "expression"])
def test_an_id_is_taken_however_it_was_entered(entered: str, stand: Stand, sandbox: RunningSandbox) -> None:
    action = CONNECTOR.action("list_transactions")
    values: dict[str, Any] = {
        "text": MAIN_ACCOUNT,  # as workflows have it that were made by a program
        "list": {"__rl": True, "mode": "list", "value": MAIN_ACCOUNT, "cachedResultName": "Giro"},
        "id": {"__rl": True, "mode": "id", "value": MAIN_ACCOUNT},
        "expression": {"__rl": True, "mode": "id", "value": "={{ $json.account }}"},
    }
    form = {**chosen(action), "account_id": values[entered]}
    assert stand.run_form(form, items=[{"json": {"account": MAIN_ACCOUNT}}])
    assert sandbox.requests()[-1]["query"]["account_id"] == MAIN_ACCOUNT


def test_a_dropdown_that_depends_on_another_reads_what_was_picked_there(stand: Stand) -> None:
    for picked in (NORDLICHT, {"__rl": True, "mode": "list", "value": NORDLICHT}):
        assert "Ladenkasse" in [one["value"] for one in stand.options(CASH_BOOKS, {"ledger_connection": picked})]


NOWHERE = "http://127.0.0.1:1"


def test_the_credential_test_costs_nothing_and_answers_in_sentences(engine: Engine, sandbox: RunningSandbox) -> None:
    before = sandbox.balance()
    good = {"baseUrl": sandbox.url, "apiKey": "sandbox-key"}
    told = engine.ask("credential", "kontor", good)
    assert (told["status"], told["message"]) == ("OK", "The credential works.")
    for wrong, sentence in (
        ({"apiKey": "wrong"}, "The service does not accept the API key: API key invalid. Create an API key"),
        ({"apiKey": ""}, "The service does not accept the API key: API key missing."),
        ({"baseUrl": NOWHERE}, "The service at 127.0.0.1:1 cannot be reached: no line to it. Check the address"),
        ({"baseUrl": "not an address"}, "The base URL is not a plain http(s) address. Enter the service's address"),
        ({"baseUrl": ""}, "The base URL of the service is missing. Enter the service's address"),
        ({"baseUrl": f"{sandbox.url}/elsewhere"}, "Somebody answers at this address"),
    ):
        told = engine.ask("credential", "kontor", {**good, **wrong})
        assert (told["status"], told["message"].startswith(sentence)) == ("Error", True), told
    assert sandbox.balance() == before


def test_an_amount_with_fifteen_digits_and_more_leaves_unchanged(stand: Stand, sandbox: RunningSandbox) -> None:
    for amount in ("1234567890123.45", "12345678901234567890.12", "0.10"):
        inputs = {**ENTRY, "betrag": amount, "belegzeilen": [{**LINE, "betrag": amount}]}
        stand.run(CASH, inputs)
        body = sandbox.requests()[-1]["body"]
        assert (body["betrag"], body["belegzeilen"][0]["betrag"]) == (Decimal(amount), Decimal(amount))


def test_a_transaction_beyond_what_a_double_holds_comes_back_unchanged(stand: Stand, sandbox: RunningSandbox) -> None:
    amount = Decimal("123456789012.345")
    sandbox.order_exact("/transactions", {"amount": amount, "account_id": MAIN_ACCOUNT})
    rows = stand.run(CONNECTOR.action("list_transactions"), {"account_id": MAIN_ACCOUNT, "sort": "id"})
    newest = rows[-1]
    assert int(newest["id"]) > 2**53
    assert Decimal(newest["amount"]) == amount
    [again] = stand.run(CONNECTOR.action("get_transaction"), {"id": newest["id"], "account_id": MAIN_ACCOUNT})
    assert (again["id"], again["amount"]) == (newest["id"], newest["amount"])


def test_an_id_that_lost_digits_in_an_expression_is_refused(stand: Stand, sandbox: RunningSandbox) -> None:
    before = len(sandbox.requests())
    parameters = {**chosen(CONNECTOR.action("get_payment")), "id": 2**60}
    with pytest.raises(Refusal, match="as text"):
        stand.engine.ask("run", "kontor", stand.credential, parameters=parameters)
    assert len(sandbox.requests()) == before


def test_lines_that_do_not_add_up_are_named_before_anything_is_sent(stand: Stand, sandbox: RunningSandbox) -> None:
    before = len(sandbox.requests())
    with pytest.raises(Refusal, match=r"The difference is 0.01 EUR") as caught:
        stand.run(CASH, {**ENTRY, "betrag": "-41.66"})
    assert (caught.value.kind, "Nothing was sent" in caught.value.remedy) == ("NodeApiError", True)
    assert len(sandbox.requests()) == before


def test_twenty_lines_of_odd_cents_add_up(stand: Stand, sandbox: RunningSandbox) -> None:
    lines = [{**LINE, "betrag": "0.10"} for _ in range(20)]
    stand.run(CASH, {**ENTRY, "betrag": "2.00", "belegzeilen": lines})
    assert len(sandbox.requests()[-1]["body"]["belegzeilen"]) == 20


def test_a_receipt_image_comes_from_a_binary_field(stand: Stand, sandbox: RunningSandbox) -> None:
    content = base64.b64encode(b"%PDF-1.7\nreceipt").decode()
    binary = {"scan": {"data": content, "mimeType": "application/pdf", "fileName": "a.pdf"}}
    inputs = {**ENTRY, "belegbilder": [{"content": "scan", "dateiname": "KB-1.pdf"}]}
    stand.run(CASH, inputs, binary=binary)
    assert sandbox.requests()[-1]["body"]["belegbilder"] == [{"content": content, "dateiname": "KB-1.pdf"}]
    wrong = {**ENTRY, "belegbilder": [{"content": "scan", "dateiname": "KB-1.png"}]}
    with pytest.raises(Refusal, match="contains PDF"):
        stand.run(CASH, wrong, binary=binary)


def test_a_date_time_without_a_zone_is_german_time(stand: Stand, sandbox: RunningSandbox) -> None:
    for given, expected in (("2026-05-04T10:30:00", "+02:00"), ("2026-12-04T10:30:00", "+01:00")):
        stand.run(CASH, {**ENTRY, "transaktionsdatum": given})
        assert sandbox.requests()[-1]["body"]["transaktionsdatum"] == given + expected


def test_dates_of_an_expression_are_days_and_times_in_germany(stand: Stand, sandbox: RunningSandbox) -> None:
    moment = "={{ DateTime.fromISO('2026-03-31T22:30:00Z') }}"
    stand.run(CASH, {**ENTRY, "transaktionsdatum": moment})
    sent = sandbox.requests()[-1]["body"]["transaktionsdatum"]
    assert datetime.fromisoformat(sent) == datetime.fromisoformat("2026-03-31T22:30:00+00:00")
    stand.run(CONNECTOR.action("list_transactions"), {"account_id": MAIN_ACCOUNT, "from_date": moment})
    assert sandbox.requests()[-1]["query"]["from_date"] == "2026-04-01"


@pytest.mark.parametrize("code", ["ledger_connection_invalid", "ledger_endpoint_not_authorized"])
def test_an_error_of_the_ledger_carries_its_own_remedy(code: str, stand: Stand, sandbox: RunningSandbox) -> None:
    sandbox.order(f"/ledger-connections/{NORDLICHT}", **{"break": code})
    with pytest.raises(Refusal) as caught:
        stand.run(CONNECTOR.action("list_cash_books"), {"ledger_connection": NORDLICHT})
    reconnects = code == "ledger_connection_invalid"
    assert ("https://" in caught.value.remedy) is reconnects
    assert ("does not help" in caught.value.remedy) is not reconnects


@pytest.mark.parametrize("kind", ["drop_after", "drop_before", "error_500", "malformed", "truncated"])
def test_a_booking_whose_outcome_is_unknown_is_not_sent_again(kind: str, stand: Stand, sandbox: RunningSandbox) -> None:
    path = "/v2/ledger-duo/kassenbuch-advanced"
    sandbox.order("/faults", kind=kind, match={"path": path}, times=None)
    with pytest.raises(Refusal) as caught:
        stand.run(CASH, ENTRY)
    assert "Look in the ledger or bank" in caught.value.remedy
    assert [one["path"] for one in sandbox.requests()].count(path) == 1


@pytest.mark.parametrize("kind", ["drop_before", "drop_after", "error_500"])
def test_a_read_that_fails_once_is_tried_again(kind: str, stand: Stand, sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind=kind, match={"path": "/v2/banking/accounts"}, times=1)
    assert stand.run(CONNECTOR.action("list_bank_accounts"), {})


def test_a_used_up_rate_window_says_until_when(stand: Stand, sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="rate_limited", match={"path": "/v2/banking/accounts"}, times=None)
    with pytest.raises(Refusal, match=r"away until \d\d:\d\d:\d\d") as caught:
        stand.run(CONNECTOR.action("list_bank_accounts"), {})
    assert (caught.value.status, len(sandbox.requests())) == ("429", 1)


def test_a_service_that_nobody_reaches_is_named(engine: Engine, unused_port: int) -> None:
    stand = Stand(engine, {"baseUrl": f"http://127.0.0.1:{unused_port}", "apiKey": "a-key"})
    with pytest.raises(Refusal, match=f"127.0.0.1:{unused_port} cannot be reached") as caught:
        stand.run(CASH, ENTRY)
    assert "Nothing was changed" in caught.value.remedy


def test_a_failed_item_does_not_stop_the_others_when_the_flow_goes_on(stand: Stand) -> None:
    parameters = {**chosen(CONNECTOR.action("get_payment")), "id": "={{ $json.id }}"}
    payment = stand.run(CONNECTOR.action("list_payments"), {})[0]["id"]
    items = [{"json": {"id": "1"}}, {"json": {"id": payment}}]
    answer = stand.engine.ask(
        "run", "kontor", stand.credential, parameters=parameters, items=items, continueOnFail=True
    )
    first, second = (item["json"] for item in answer["items"])
    assert first["kind"] == "not_found"
    assert "remedy" in first
    assert second["id"] == payment
    assert [item["pairedItem"]["item"] for item in answer["items"]] == [0, 1]


def test_the_key_appears_in_no_error(engine: Engine, sandbox: RunningSandbox) -> None:
    secret = "a-secret-key-nobody-may-see"
    stand = Stand(engine, {"baseUrl": sandbox.url, "apiKey": secret})
    with pytest.raises(Refusal) as caught:
        stand.run(CONNECTOR.action("list_bank_accounts"), {})
    assert secret not in json.dumps(caught.value.args)


def test_a_plain_address_beyond_this_machine_is_refused(engine: Engine) -> None:
    stand = Stand(engine, {"baseUrl": "http://service.example", "apiKey": "a-key"})
    with pytest.raises(Refusal, match="unencrypted"):
        stand.run(CONNECTOR.action("list_bank_accounts"), {})
