"""A service that answers otherwise than described, or not at all: what Zapier tells then is true all the same."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from connector import Connector
from tests.platforms.zapier.zapier_engine import ZapierError
from tests.platforms.zapier.zapier_form import AGAIN, form
from tests.support.filled_in import all_inputs

pytestmark = pytest.mark.platforms
MANIFESTS = Connector("unused")
OURS = "https://hooks.example/standard/1/a"
LEDGER_CONNECTION = "0b54a7c2-5a0e-4e0b-9d8e-3f6f3c1d2a90"


class Service:
    """Answers each method and path as it was told to, and keeps what it got to the byte."""

    def __init__(self):
        self.answers = {}
        self.got = []
        service = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
                path = self.path.split("?")[0]
                service.got.append((self.command, path, body))
                status, told = service.answers[self.command, path]
                content = told.encode() if isinstance(told, str) else json.dumps(told).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def do_POST(self):
                self.do_GET()

            def do_PUT(self):
                self.do_GET()

            def log_message(self, *args):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def service(engine):
    service = Service()
    engine.auth = {"base_url": service.url, "api_key": "sandbox-key"}
    yield service
    service.close()


@pytest.mark.parametrize("said", ["Invalid API key", "API key expired", "Missing x-api-key header"])
@pytest.mark.parametrize("status", [400, 401, 403])
def test_a_refused_key_asks_for_a_new_one_whatever_its_status(status, said, engine, service):
    service.answers["GET", "/v2/banking/accounts"] = status, {"error": said}
    with pytest.raises(ZapierError) as caught:
        engine.execute("searches.list_bank_accounts.operation.perform")
    assert caught.value.name == "ExpiredAuthError"
    assert said in str(caught.value)


def test_a_403_for_another_reason_leaves_the_account_connected(engine, service):
    service.answers["GET", "/v2/banking/accounts"] = 403, {"error": "Not in your plan"}
    with pytest.raises(ZapierError, match="Not in your plan") as caught:
        engine.execute("searches.list_bank_accounts.operation.perform")
    assert caught.value.name == "AppError"


def test_the_key_is_not_repeated_when_the_service_repeats_it(engine, service):
    service.answers["GET", "/v2/banking/accounts"] = 400, {"error": "sandbox-key is not welcome"}
    with pytest.raises(ZapierError, match="is not welcome") as caught:
        engine.execute("searches.list_bank_accounts.operation.perform")
    assert "sandbox-key" not in str(caught.value)


@pytest.mark.parametrize(
    "answer",
    [
        {"data": [{"code": "RE", "name": "Rechnung"}]},
        {"data": [{"id": "RE", "bezeichnung": "Rechnung"}]},
        [{"code": "RE", "name": "Rechnung"}],
    ],
    ids=["code-and-name", "id-and-bezeichnung", "bare-list"],
)
def test_document_types_are_options_under_any_plausible_name(answer, engine, service):
    service.answers["GET", "/v2/ledger-duo/belegtypen"] = 200, answer
    inputs = {"ledger_connection": LEDGER_CONNECTION}
    key = "options_document_types_by_ledger_connection_client"
    found = engine.execute(f"triggers.{key}.operation.perform", inputs)
    assert [(one["id"], one["name"]) for one in found] == [("RE", "Rechnung")]


@pytest.mark.parametrize("answer", [(404, {"error": "not found"}), (200, {"data": {}}), (200, {"webhook_url": ""})])
def test_a_zap_can_subscribe_where_no_url_is_set(answer, engine, service):
    service.answers["GET", "/v2/banking/webhook-url"] = answer
    service.answers["PUT", "/v2/banking/webhook-url"] = 200, {}
    subscribed = engine.execute("triggers.payment_settled.operation.performSubscribe", targetUrl=OURS)
    assert subscribed == {"id": OURS, "former": None}
    assert [json.loads(body) for method, _, body in service.got if method == "PUT"] == [{"webhook_url": OURS}]


def test_nothing_is_written_where_the_current_url_cannot_be_read(engine, service):
    service.answers["GET", "/v2/banking/webhook-url"] = 200, {"data": {"target": "https://elsewhere.example"}}
    with pytest.raises(ZapierError):
        engine.execute("triggers.payment_settled.operation.performSubscribe", targetUrl=OURS)
    assert {method for method, *_ in service.got} == {"GET"}


@pytest.mark.parametrize("amount", ["123456789012345.67", "12345678901234567", "-0.10"])
def test_an_amount_given_as_text_reaches_the_service_to_the_digit(amount, engine, session, service):
    action = MANIFESTS.action("create_cash_book_entry")
    entry = all_inputs(action, session)
    lines = [{**entry["belegzeilen"][0], "betrag": amount}]
    service.answers["POST", "/v2/ledger-duo/kassenbuch-advanced"] = 200, f'{{"betrag": {amount}}}'
    inputs = form(action, {**entry, "belegzeilen": lines, "betrag": amount})
    engine.execute(f"creates.{action.id}.operation.perform", inputs)
    [(_, _, body)] = service.got
    assert f'"betrag":{amount},' in body
    assert body.count(f'"betrag":{amount}') == 2


def test_an_amount_that_no_double_holds_is_shown_as_text(engine, service):
    rows = '{"data": [{"id": "900000000000000124", "amount": 12345678901234567.89}, {"id": "2", "amount": 952.00}]}'
    service.answers["GET", "/v2/banking/transactions"] = 200, rows
    found = engine.execute("searches.list_transactions.operation.perform", {"account_id": "8101"})
    assert [row["amount"] for row in found] == ["12345678901234567.89", 952]


@pytest.mark.parametrize("kind", ["drop_after", "truncated"])
def test_a_payment_whose_answer_was_lost_is_found(kind, engine, session, sandbox):
    inputs = form(MANIFESTS.action("initiate_payment"), all_inputs(MANIFESTS.action("initiate_payment"), session))
    sandbox.order("/faults", kind=kind, match={"method": "POST", "path": "/v2/banking/payments"})
    made = engine.execute("creates.initiate_payment.operation.perform", {**inputs, **AGAIN})
    assert made["id"] == sandbox.api.get("/v2/banking/payments").json()["data"][0]["id"]
    assert len([row for row in sandbox.requests() if row["method"] == "POST"]) == 1


@pytest.mark.parametrize("kind", ["drop_after", "truncated"])
def test_a_lost_answer_of_a_booking_says_that_the_outcome_is_unknown(kind, engine, session, sandbox):
    action = MANIFESTS.action("create_cash_book_entry")
    sandbox.order("/faults", kind=kind, match={"method": "POST"})
    with pytest.raises(ZapierError) as caught:
        engine.execute(f"creates.{action.id}.operation.perform", {**form(action, all_inputs(action, session)), **AGAIN})
    told = json.loads(str(caught.value))
    assert (caught.value.name, told["code"]) == ("AppError", "outcome_unknown")
    assert "Look in the ledger or bank whether it happened" in told["message"]
    assert len([row for row in sandbox.requests() if row["method"] == "POST"]) == 1


def test_a_read_whose_answer_was_lost_is_read_again(engine, sandbox):
    sandbox.order("/faults", kind="drop_before", match={"path": "/v2/banking/accounts"})
    assert engine.execute("searches.list_bank_accounts.operation.perform")


def test_a_payment_that_never_left_is_not_called_unknown(engine, session, sandbox):
    inputs = form(MANIFESTS.action("initiate_payment"), all_inputs(MANIFESTS.action("initiate_payment"), session))
    engine.auth = {"base_url": "http://127.0.0.1:9", "api_key": "sandbox-key"}
    with pytest.raises(ZapierError) as caught:
        engine.execute("creates.initiate_payment.operation.perform", inputs)
    told = json.loads(str(caught.value))
    assert told["code"] == "service_down"
    assert "Nothing was changed" in told["message"]
