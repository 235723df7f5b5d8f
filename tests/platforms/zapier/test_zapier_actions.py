"""Creates and searches in Zapier's engine: the same requests as the runtime's, and the same outputs."""

from __future__ import annotations

import base64
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import httpx
import pytest

from connector import Connector
from connector.core.values import json
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.platforms.marks import unmarked
from tests.platforms.zapier.zapier_engine import ZapierError
from tests.platforms.zapier.zapier_form import AGAIN, form
from tests.support.filled_in import all_inputs, required_inputs

pytestmark = pytest.mark.platforms
MANIFESTS = Connector("unused")
ACTIONS = sorted(MANIFESTS.actions)
PDF = b"%PDF-1.7\nreceipt"


def method(id):
    return f"{'creates' if MANIFESTS.action(id).writes else 'searches'}.{id}.operation.perform"


def run(engine, id, inputs):
    return engine.execute(method(id), {**form(MANIFESTS.action(id), inputs), **AGAIN})


@pytest.mark.parametrize("id", ACTIONS)
def test_every_action_sends_what_the_runtime_sends_and_gives_what_it_gives(id, engine, session, sandbox):
    inputs = all_inputs(MANIFESTS.action(id), session)
    shown = session.invoke(id, inputs, dry_run=True).output
    results = run(engine, id, inputs)
    sent = sandbox.requests()[-1]
    url = httpx.URL(shown["url"])
    assert (shown["method"], url.path, dict(url.params)) == (sent["method"], sent["path"], sent["query"])
    assert json.decode(json.encode(unmarked(shown["body"]))) == json.decode(json.encode(unmarked(sent["body"])))
    if not MANIFESTS.action(id).writes:
        output = session.invoke(id, inputs).output
        assert results == (output["items"] if MANIFESTS.action(id).is_list else [output])
    else:
        assert isinstance(results, dict)
        assert results


@pytest.mark.parametrize("id", ACTIONS)
def test_every_action_works_with_no_more_than_the_required_fields(id, engine, session, sandbox):
    inputs = required_inputs(MANIFESTS.action(id), session)
    shown = session.invoke(id, inputs, dry_run=True).output
    run(
        engine,
        id,
        {**inputs, **dict.fromkeys((f.name for f in MANIFESTS.action(id).inputs if f.name not in inputs), "")},
    )
    sent = sandbox.requests()[-1]
    assert (dict(httpx.URL(shown["url"]).params), json.encode(unmarked(shown["body"]))) == (
        sent["query"],
        json.encode(unmarked(sent["body"])),
    )


def test_one_cent_off_is_found_before_anything_is_sent(engine, session, sandbox):
    inputs = all_inputs(MANIFESTS.action("create_cash_book_entry"), session)
    before = len(sandbox.requests())
    with pytest.raises(ZapierError, match=r"difference is 0\.01 EUR"):
        run(engine, "create_cash_book_entry", {**inputs, "betrag": -41.64})
    assert len(sandbox.requests()) == before


def test_twenty_lines_that_add_up_are_never_refused(engine, session, sandbox):
    inputs = all_inputs(MANIFESTS.action("create_cash_book_entry"), session)
    line = inputs["belegzeilen"][0]
    cents = [10 + 7 * place for place in range(20)]
    lines = [{**line, "betrag": cent / 100} for cent in cents]
    run(engine, "create_cash_book_entry", {**inputs, "belegzeilen": lines, "betrag": sum(cents) / 100})
    assert len(sandbox.requests()[-1]["body"]["belegzeilen"]) == 20


@pytest.mark.parametrize(
    ("id", "wrong", "words"),
    [
        ("initiate_payment", {"creditor_iban": "DE02120300000000202052"}, "IBAN"),
        ("initiate_payment", {"amount": 0}, "more than 0"),
        ("initiate_payment", {"amount": "twelve"}, "Amount"),
        ("initiate_payment", {"creditor_name": "Иван"}, "SEPA cannot carry"),
        ("initiate_payment", {"end_to_end_id": "/a"}, "slash"),
        ("create_cash_book_entry", {"ledger_connection": "nordlicht"}, "Ledger connection"),
        ("create_cash_book_entry", {"transaktionsdatum": "tomorrow"}, "Date and time"),
        ("list_transactions", {"from_date": "2026-02-30"}, "From"),
        ("list_payments", {"sort": "date", "from_id": "5"}, "id"),
        ("initiate_payment", {"execution_date": "15.05.2020"}, "lies in the past"),
        ("get_trial_balance", {"geschaeftsjahrStartDatum": "1. Jan. 2026"}, "2026-01-01"),
        ("set_webhook_url", {"webhook_url": "http://example.com"}, "https"),
        ("call_api", {"path": "https://elsewhere.example"}, "Path"),
    ],
)
def test_a_mistake_is_named_before_anything_is_sent(id, wrong, words, engine, session, sandbox):
    inputs = {**all_inputs(MANIFESTS.action(id), session), **wrong}
    before = len(sandbox.requests())
    with pytest.raises(ZapierError, match=words):
        run(engine, id, inputs)
    assert len(sandbox.requests()) == before


def test_a_time_leaves_as_german_time(engine, session, sandbox):
    inputs = all_inputs(MANIFESTS.action("create_cash_book_entry"), session)
    for given, sent in (
        ("2026-07-04T10:30", "2026-07-04T10:30:00+02:00"),
        ("2026-01-04 10:30:00", "2026-01-04T10:30:00+01:00"),
        ("2026-01-04T10:30:00Z", "2026-01-04T11:30:00+01:00"),
        ("2026-05-14T22:00:00.000Z", "2026-05-15T00:00:00+02:00"),
    ):
        run(engine, "create_cash_book_entry", {**inputs, "transaktionsdatum": given})
        assert sandbox.requests()[-1]["body"]["transaktionsdatum"] == sent


def test_long_ids_and_long_amounts_pass_unchanged(engine, session, sandbox):
    amount = Decimal("1234567890123.45")
    sandbox.order_exact("/transactions", {"account_id": MAIN_ACCOUNT, "amount": amount})
    listed = run(engine, "list_transactions", {"account_id": MAIN_ACCOUNT, "sort": "id"})
    newest = listed[-1]
    assert newest["amount"] == amount
    assert int(newest["id"]) > 2**53
    found = run(engine, "get_transaction", {"account_id": MAIN_ACCOUNT, "id": newest["id"]})
    assert found[0]["id"] == newest["id"] == sandbox.requests()[-1]["path"].rsplit("/", 1)[1]
    entry = all_inputs(MANIFESTS.action("create_cash_book_entry"), session)
    lines = [{**entry["belegzeilen"][0], "betrag": amount}]
    run(engine, "create_cash_book_entry", json_ready({**entry, "belegzeilen": lines, "betrag": amount}))
    assert Decimal(sandbox.requests()[-1]["body"]["betrag"]) == amount


def test_lines_that_were_left_empty_are_no_lines(engine, session, sandbox):
    inputs = all_inputs(MANIFESTS.action("create_cash_book_entry"), session)
    empty = {name: "" for name in inputs["belegzeilen"][0] if name != "steuersatz"}
    lines = [*inputs["belegzeilen"], empty]
    run(engine, "create_cash_book_entry", {**inputs, "belegzeilen": lines, "belegbilder": [{"content": ""}]})
    sent = sandbox.requests()[-1]["body"]
    assert len(sent["belegzeilen"]) == len(inputs["belegzeilen"])
    assert "belegbilder" not in sent


def json_ready(value):
    """The same with amounts as texts, as a platform hands over what a user typed."""
    if isinstance(value, dict):
        return {name: json_ready(item) for name, item in value.items()}
    if isinstance(value, list):
        return [json_ready(item) for item in value]
    return str(value) if isinstance(value, Decimal) else value


def test_a_search_that_finds_nothing_is_empty_and_not_an_error(engine):
    assert run(engine, "get_payment", {"id": "1"}) == []


def test_the_account_is_tested_and_gets_a_label(engine, sandbox):
    assert "bank accounts)" in engine.execute("authentication.test")["label"]
    assert sandbox.requests()[-1]["path"] == "/v2/banking/accounts"
    engine.auth = {"base_url": sandbox.url, "api_key": "wrong"}
    with pytest.raises(ZapierError) as caught:
        engine.execute("authentication.test")
    assert caught.value.name == "ExpiredAuthError"
    assert "API keys" in str(caught.value)
    engine.auth = {"base_url": "http://service.example", "api_key": "k"}
    with pytest.raises(ZapierError, match="Use https"):
        engine.execute("authentication.test")


def test_errors_say_what_to_do(engine, session, sandbox):
    inputs = required_inputs(MANIFESTS.action("list_cash_books"), session)
    for code, words in (
        ("ledger_connection_invalid", "reconnect link"),
        ("ledger_export_service_missing", "Book the missing service"),
        ("ledger_endpoint_not_authorized", "Connecting again does not help"),
    ):
        sandbox.order(f"/ledger-connections/{inputs['ledger_connection']}", **{"break": code})
        with pytest.raises(ZapierError, match=words):
            run(engine, "list_cash_books", inputs)


def test_a_rate_limit_tells_zapier_when_to_come_back(engine, sandbox):
    sandbox.order("/faults", kind="rate_limited", match={"path": "/v2/banking/accounts"})
    with pytest.raises(ZapierError) as caught:
        run(engine, "list_bank_accounts", {})
    assert caught.value.name == "ThrottledError"
    assert 0 < json.decode(str(caught.value))["delay"] <= 900


def test_a_write_that_fails_on_the_way_is_not_called_undone(engine, session, sandbox):
    inputs = all_inputs(MANIFESTS.action("create_collective_invoice"), session)
    sandbox.order("/faults", kind="error_500_after", match={"method": "POST"})
    with pytest.raises(ZapierError, match="Nobody knows whether it acted"):
        run(engine, "create_collective_invoice", inputs)


def test_a_payment_that_was_made_although_the_service_failed_is_found(engine, session, sandbox):
    inputs = all_inputs(MANIFESTS.action("initiate_payment"), session)
    sandbox.order("/faults", kind="error_500_after", match={"method": "POST", "path": "/v2/banking/payments"})
    made = run(engine, "initiate_payment", inputs)
    assert made["id"] == sandbox.api.get("/v2/banking/payments").json()["data"][0]["id"]


def test_a_file_is_fetched_from_where_it_lies_and_the_key_does_not_travel_there(engine, session, sandbox):
    asked = []

    class Files(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(dict(self.headers))
            self.send_response(200)
            self.send_header("content-length", str(len(PDF)))
            self.end_headers()
            self.wfile.write(PDF)

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Files)
    Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    action = MANIFESTS.action("create_cash_book_entry")
    image = {"content": f"http://127.0.0.1:{server.server_address[1]}/receipt", "dateiname": "receipt.pdf"}
    inputs = {**all_inputs(action, session), "belegbilder": [image]}
    run(engine, action.id, inputs)
    server.shutdown()
    server.server_close()
    assert sandbox.requests()[-1]["body"]["belegbilder"] == [
        {"content": base64.b64encode(PDF).decode(), "dateiname": "receipt.pdf"}
    ]
    assert len(asked) == 1
    assert "sandbox-key" not in str(asked)


def test_a_file_that_cannot_be_fetched_is_named_before_anything_is_sent(engine, session, sandbox):
    action = MANIFESTS.action("create_cash_book_entry")
    before = len(sandbox.requests())
    for address in ("http://127.0.0.1:9/receipt", f"{sandbox.url}/nowhere"):
        image = {"content": address, "dateiname": "receipt.pdf"}
        with pytest.raises(ZapierError, match="cannot be fetched"):
            run(engine, action.id, {**all_inputs(action, session), "belegbilder": [image]})
    assert [row for row in sandbox.requests()[before:] if row["method"] == "POST"] == []
