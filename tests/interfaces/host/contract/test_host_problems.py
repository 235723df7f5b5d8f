"""Errors over HTTP: one form for all, a status that fits the consequence, both languages, and never the key."""

from __future__ import annotations

import socket
import threading
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
import uvicorn

from connector.core import errors
from connector.core.limits import MAX_HEADER_BYTES
from connector.core.messages import quote
from connector.interfaces.host.guards.heads import HeaderLimitProtocol
from connector.interfaces.host.in_flight import language_of
from connector.interfaces.host.responses import problem_response
from connector.interfaces.host.server import listen
from connector.sandbox.ledger.demo import ledger_connection_id
from tests.interfaces.host.running_host import KEY, PAYMENT, TOKEN, RunningHost
from tests.support.running_sandbox import RunningSandbox

LEDGER = ledger_connection_id("nordlicht")
FIELDS = {
    *("type", "title", "status", "detail", "kind", "message", "remedy", "field", "outcome", "proof", "retryable"),
    *("retry_at", "reconnect_url", "details", "request_id"),
}
BOOKING: dict[str, Any] = {
    "ledger_connection": LEDGER,
    "kassenname": "Ladenkasse",
    "transaktionsdatum": "2026-05-04T10:00:00+02:00",
    "belegzeilen": [{"belegtext": "Schläuche", "gegenkonto": "4980", "betrag": "12.50"}],
}
TOLD_AGAIN = {
    "": '"again": true',
    "my own program": '"again": true',
    "n8n": "switch 'Send Again on Purpose' on",
    "zapier": "choose yes under 'Send Again on Purpose'",
    "make": "choose yes under 'Send again on purpose'",
    "power-automate": "set 'Send again on purpose' to yes",
}


def is_problem(answer: httpx.Response, status: int, kind: str) -> dict[str, Any]:
    assert answer.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = answer.json()
    assert set(document) == FIELDS
    assert (answer.status_code, document["status"], document["kind"]) == (status, status, kind)
    assert document["type"] == f"urn:kontor:problem:{kind}"
    assert document["remedy"]["en"] != document["remedy"]["de"]
    assert document["request_id"] == answer.headers["x-request-id"]
    assert KEY not in answer.text
    return document


@pytest.mark.parametrize(
    ("broken", "kind"),
    [
        ("ledger_connection_invalid", "reconnect_needed"),
        ("ledger_export_service_missing", "service_not_booked"),
        ("ledger_endpoint_not_authorized", "right_missing"),
    ],
)
def test_three_ledger_codes_are_three_kinds_of_403(
    host: RunningHost, sandbox: RunningSandbox, broken: str, kind: str
) -> None:
    sandbox.order(f"/ledger-connections/{LEDGER}", **{"break": broken})
    document = is_problem(host.run("list_cash_books", {"ledger_connection": LEDGER}), 403, kind)
    assert bool(document["reconnect_url"]) == (kind == "reconnect_needed")


def test_a_wrong_input_is_422_and_names_its_field(host: RunningHost) -> None:
    document = is_problem(host.run("initiate_payment", {**PAYMENT, "creditor_iban": "DE00"}), 422, "input")
    assert (document["field"], document["outcome"]) == ("creditor_iban", "not_sent")


def test_what_the_service_does_not_have_is_404(host: RunningHost) -> None:
    is_problem(host.run("get_payment", {"id": "999"}), 404, "not_found")


def test_a_used_up_window_is_429_with_the_time_to_come_back(host: RunningHost, sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="rate_limited", times=None)
    answer = host.run("list_bank_accounts")
    document = is_problem(answer, 429, "rate_limited")
    assert document["retryable"] is True
    assert int(answer.headers["retry-after"]) >= 1


def test_credits_that_do_not_suffice_are_402(host: RunningHost, sandbox: RunningSandbox) -> None:
    sandbox.order("/credits", balance=0)
    is_problem(host.run("list_transactions", {"account_id": PAYMENT["account_id"]}), 402, "budget_held")


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.ServiceDown(quote("x"), outcome="refused"), 502),
        (errors.ServiceDown(quote("x"), outcome="not_sent"), 503),
        (errors.ServiceDown(quote("x"), retry_at=datetime.now(UTC) + timedelta(seconds=9)), 503),
        (errors.Refused(quote("x"), details={"status": 409}), 409),
        (errors.Refused(quote("x"), details={"status": 400}), 422),
        (errors.OutcomeUnknown(quote("x")), 504),
        (errors.KontorError(quote("x"), remedy=quote("y")), 500),
    ],
)
def test_a_status_fits_the_consequence(error: errors.KontorError, status: int) -> None:
    told = problem_response(error, lang="en", request_id="1")
    assert told.status_code == status
    assert ("retry-after" in told.headers) == (error.retry_at is not None)


def test_a_key_that_got_into_an_error_is_hidden() -> None:
    told = problem_response(
        errors.Refused(quote("no-such-key-at-all is wrong")), lang="en", request_id="1", secret="no-such-key-at-all"
    )
    assert b"no-such-key-at-all" not in told.body


def test_an_unknown_outcome_is_504_and_says_so(host: RunningHost, sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="drop_after", match={"method": "POST"})
    entry = {
        "ledger_connection": LEDGER,
        "kassenname": "Ladenkasse",
        "betrag": 10,
        "transaktionsdatum": "2026-11-14T10:00",
        "belegzeilen": [{"belegtext": "Verkauf", "gegenkonto": "8400", "belegNummer": "K-1", "betrag": 10}],
    }
    document = is_problem(host.run("create_cash_book_entry", entry, key="flow-1"), 504, "outcome_unknown")
    assert (document["outcome"], document["retryable"]) == ("unknown", False)
    again = is_problem(host.run("create_cash_book_entry", entry, key="flow-1"), 504, "outcome_unknown")
    assert again["details"]["key"] == "flow-1"


def test_an_unreadable_answer_is_502(host: RunningHost, sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="malformed", times=None)
    is_problem(host.run("get_bank_connection", {"id": "1"}), 502, "bad_reply")


def test_an_address_that_is_not_there_is_404_and_a_wrong_method_405_with_what_is_allowed(host: RunningHost) -> None:
    is_problem(host.http.get("/v1/nothing"), 404, "not_found")
    answer = host.http.delete("/v1/lookups/cash_books")
    is_problem(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD, POST"
    preflight = host.http.options("/v1/lookups/cash_books", headers={"origin": "https://elsewhere.example"})
    is_problem(preflight, 405, "method_not_allowed")
    assert not [name for name in preflight.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (b"{", None),
        (b"[]", None),
        (b"\xff\xfe", None),
        (b'{"inputs": 5}', "inputs"),
        (b'{"dry_run": "yes"}', "dry_run"),
        (b'{"input": {}}', "input"),
        (b'{"inputs": ' + b"[" * 5000 + b"]" * 5000 + b"}", None),
        (b'{"inputs": {"a": 1e999999}}', None),
    ],
)
def test_a_body_that_cannot_be_read_is_400(host: RunningHost, body: bytes, field: str | None) -> None:
    answer = host.http.post("/v1/actions/list_bank_accounts/run", content=body)
    assert is_problem(answer, 400, "input")["field"] == field


def test_bodies_are_bounded_whether_or_not_their_length_is_announced(host: RunningHost) -> None:
    most = host.state.settings.max_body
    announced = host.http.post("/v1/actions/list_bank_accounts/run", content=b" " * (most + 1))
    is_problem(announced, 413, "too_large")
    pieces = (b" " * 65_536 for _ in range(9))
    is_problem(host.http.post("/v1/lookups/cash_books", content=pieces), 413, "too_large")


def test_a_body_within_the_bound_is_read(host: RunningHost) -> None:
    padded = b"{" + b" " * (host.state.settings.max_body - 2) + b"}"
    assert host.http.post("/v1/actions/list_bank_accounts/run", content=padded).status_code == 200


def test_headers_are_bounded_even_if_one_never_ends(host: RunningHost) -> None:
    is_problem(host.http.get("/healthz", headers={"x-long": "a" * MAX_HEADER_BYTES}), 431, "too_large")
    many = [(f"x-{number}", "1") for number in range(200)]
    is_problem(host.http.get("/healthz", headers=many), 431, "too_large")
    place = httpx.URL(host.url)
    with socket.create_connection((place.host, place.port or 0), timeout=10) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nhost: x\r\nx-endless: ")
        received = b""
        for _ in range(100):
            try:
                line.sendall(b"a" * 4096)
            except OSError:
                break
        while piece := _piece(line):
            received += piece
    assert received.startswith(b"HTTP/1.1 431 ")


def test_a_large_body_right_behind_large_headers_is_no_header(host: RunningHost) -> None:
    """All of it is sent at once, and arrives in few pieces."""
    inputs = b'{"inputs": {}, "note": "%s"}' % (b"a" * MAX_HEADER_BYTES)
    headers = {"x-long": "a" * (MAX_HEADER_BYTES - 4096)}
    answer = host.http.post("/v1/actions/list_bank_accounts/run", content=inputs, headers=headers)
    assert is_problem(answer, 400, "input")["field"] == "note"


def test_headers_behind_the_body_are_left_out() -> None:
    seen: list[tuple[bytes, bytes]] = []

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass
        seen.extend(scope["headers"])
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    listening = listen("127.0.0.1", 0)
    config = uvicorn.Config(answer, http=HeaderLimitProtocol, lifespan="off", log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    with socket.create_connection(listening.getsockname(), timeout=10) as line:
        head = b"POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n"
        line.sendall(head + b"2\r\n{}\r\n0\r\nx-late: 1\r\n\r\n")
        assert line.recv(65_536).startswith(b"HTTP/1.1 204 ")
    server.should_exit = True
    thread.join()
    assert [name for name, _ in seen] == [b"host", b"transfer-encoding"]


def _piece(line: socket.socket) -> bytes:
    try:
        return line.recv(65_536)
    except ConnectionResetError:
        return b""


def test_the_language_is_the_callers(host: RunningHost) -> None:
    german = host.http.get("/v1/nothing", headers={"accept-language": "de-AT,en;q=0.7"})
    assert (german.json()["title"], german.headers["content-language"]) == ("Nicht gefunden", "de")
    assert host.http.get("/v1/nothing").json()["title"] == "Not found"


def test_a_body_that_is_no_json_is_refused_with_the_place_in_the_callers_language(host: RunningHost) -> None:
    refused = host.http.post(
        "/v1/actions/list_payments/run", content=b'{"inputs": {\n  limit: 5}}', headers={"accept-language": "de"}
    )
    document = is_problem(refused, 400, "input")
    assert document["message"] == "Der Body ist nicht als JSON lesbar: der Fehler liegt bei Zeile 2, Zeichen 3."


@pytest.mark.parametrize(
    ("header", "lang"),
    [(None, "en"), ("de", "de"), ("en,de", "en"), ("fr,de;q=0.5", "de"), ("de;q=0.2,en;q=0.3", "en"), ("de;q=x", "en")],
)
def test_german_is_spoken_to_whoever_prefers_it(header: str | None, lang: str) -> None:
    assert language_of(header) == lang


def test_a_harmless_request_id_is_kept_and_another_replaced(host: RunningHost) -> None:
    assert host.http.get("/healthz", headers={"x-request-id": "run-7.step_2"}).headers["x-request-id"] == "run-7.step_2"
    replaced = host.http.get("/healthz", headers={"x-request-id": 'a"b c'}).headers["x-request-id"]
    assert replaced.isalnum()


def test_what_nobody_foresaw_is_500_without_its_words(host: RunningHost, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise RuntimeError("secret words")

    monkeypatch.setattr(type(host.state.connector), "action", fails)
    answer = host.http.get("/v1/actions/list_payments")
    assert is_problem(answer, 500, "error")["outcome"] == "unknown"
    assert "secret words" not in answer.text
    assert "secret words" in host.log()


def remedy(host: RunningHost, label: str, **body: Any) -> str:
    with host.caller(**({"x-kontor-quelle": label} if label else {})) as caller:
        answer = caller.post("/v1/actions/initiate_payment/run", json={"inputs": PAYMENT, **body})
    assert answer.status_code == 409, answer.text
    return str(answer.json()["remedy"]["en"])


def test_a_likely_repeat_names_what_each_platform_shows(host: RunningHost) -> None:
    assert host.run("initiate_payment", PAYMENT).status_code == 200
    told = {label: remedy(host, label) for label in TOLD_AGAIN}
    assert {label for label, words in TOLD_AGAIN.items() if words not in told[label]} == set()
    assert not [one for one in told.values() if "--again" in one]


def test_a_booking_of_unknown_outcome_says_where_to_settle_it(host: RunningHost, sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="drop_after", match={"method": "POST"})
    said = {}
    for label in ("", "zapier", "cli"):
        with host.caller(**{"x-kontor-platform": label}) as caller:
            answer = caller.post("/v1/actions/create_cash_book_entry/run", json={"inputs": BOOKING, "key": "run 1"})
        assert answer.status_code == 504, answer.text
        said[label] = answer.json()["remedy"]
    run = host.http.get("/v1/runs", params={"state": "unknown"}).json()["runs"][0]["id"]
    assert f"`POST /v1/runs/{run}/settle`" in said[""]["en"]
    assert f"„Braucht einen Menschen“ festhalten (Vorgang {run})" in said["zapier"]["de"]
    assert f"kontor runs settle {run} --happened" in said["cli"]["en"]


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        ({}, "Authorization: Bearer TOKEN"),
        ({"x-kontor-quelle": "n8n"}, "in the credential under 'Kontor Host Token'"),
        ({"x-kontor-quelle": "make"}, "in the connection under 'Kontor host token'"),
        ({"x-kontor-quelle": "n8n", "x-kontor-platform": "zapier"}, "in the connected account under"),
    ],
)
def test_a_wrong_token_is_refused_in_the_words_of_the_caller(
    host: RunningHost, headers: dict[str, str], told: str
) -> None:
    with host.caller("not-the-token", KEY, **headers) as caller:
        refused = caller.get("/v1/actions")
    assert refused.status_code == 401
    assert told in refused.json()["remedy"]["en"]


@pytest.mark.parametrize(("label", "detail"), [("make", "Recipient's IBAN: It is"), ("", "It is")])
def test_a_platform_that_shows_the_message_alone_hears_which_field_is_meant(
    host: RunningHost, label: str, detail: str
) -> None:
    with host.caller(TOKEN, KEY, **({"x-kontor-quelle": label} if label else {})) as caller:
        wrong = {**PAYMENT, "creditor_iban": "no iban"}
        refused = caller.post("/v1/actions/initiate_payment/run", json={"inputs": wrong})
    assert refused.status_code == 422
    assert refused.json()["field"] == "creditor_iban"
    assert refused.json()["detail"].startswith(detail)
    assert refused.json()["detail"] == refused.json()["message"]


def test_a_private_target_is_refused_with_the_name_of_the_setting_that_allows_it(real_host: RunningHost) -> None:
    body = {"trigger": "new_payment", "inputs": {}, "target_url": "http://localhost:5678/webhook/1"}
    refused = real_host.http.post("/v1/subscriptions", json=body)
    assert refused.status_code == 422
    assert "KONTOR_PRIVATE_TARGETS=allow" in refused.json()["remedy"]["en"]
    assert "KONTOR_PRIVATE_TARGETS=allow" in refused.json()["remedy"]["de"]
