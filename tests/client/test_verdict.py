"""What an answer of the service means for a flow."""

import pytest

from connector.client.call import Call
from connector.client.verdict import Answer, TransportFailure, error_of, may_retry, unreadable_reply_error
from connector.core import errors
from connector.core.messages import say
from connector.core.values import json

READ = Call("GET", "/v2/ledger-rewe-read/susa", carries_quelle=True)
WRITE = Call("POST", "/v2/banking/payments", writes=True)
KEY = "sk_secret"
BELIEVED = (400, 402, 403, 404, 405, 413, 415, 422)


def answer(status: int, body=None, **headers: str) -> Answer:
    return Answer(status, headers, b"" if body is None else json.encode(body))


def judged(call: Call, result: Answer | TransportFailure) -> errors.KontorError:
    return error_of(call, result, host="service.example", secret=KEY, believed=BELIEVED)


@pytest.mark.conforms("ledger_error.code", "errors.statuses")
@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("ledger_connection_invalid", 401, errors.ReconnectNeeded),
        ("ledger_connection_invalid", 403, errors.ReconnectNeeded),
        ("ledger_connection_invalid", 502, errors.ReconnectNeeded),
        ("ledger_export_service_missing", 403, errors.ServiceNotBooked),
        ("ledger_endpoint_not_authorized", 403, errors.RightMissing),
    ],
)
def test_a_ledger_code_decides_whatever_status_it_comes_with(code, status, kind):
    assert isinstance(judged(READ, answer(status, {"error": "no", "code": code})), kind)


@pytest.mark.conforms("ledger_error.message", "authentication.missing_key", "authentication.status")
@pytest.mark.parametrize("status", [400, 401, 403])
@pytest.mark.parametrize(
    "body",
    [
        {"error": "Invalid API key"},
        {"error": "no", "message": "Header 'x-api-key: <key>' required"},
        {"error": "The API key is unknown."},
        {"error": "api-key expired"},
    ],
)
def test_a_refused_key_is_known_by_what_is_said_of_it(status, body):
    assert isinstance(judged(READ, answer(status, body)), errors.KeyRefused)


def test_a_right_that_a_key_lacks_is_no_refused_key():
    assert isinstance(judged(WRITE, answer(403, {"error": "This API key may not read accounts."})), errors.RightMissing)


@pytest.mark.conforms("errors.connection_invalid", "errors.service_missing", "errors.right_missing")
def test_three_codes_have_three_different_remedies():
    codes = ["ledger_connection_invalid", "ledger_export_service_missing", "ledger_endpoint_not_authorized"]
    remedies = {judged(READ, answer(403, {"error": "no", "code": code})).remedy for code in codes}
    assert len(remedies) == 3


@pytest.mark.conforms(
    "ledger_error.reconnect_url", "ledger_error.active_subscriptions", "authentication.ledger_connection_lost"
)
def test_a_lost_ledger_connection_brings_its_link_and_a_missing_service_says_what_is_booked():
    body = {"error": "expired", "code": "ledger_connection_invalid", "reconnectUrl": "https://dash.example/r/1"}
    assert judged(READ, answer(401, body)).reconnect_url == "https://dash.example/r/1"
    body = {"error": "no", "code": "ledger_export_service_missing", "activeSubscriptions": ["Belegbilderservice"]}
    error = judged(READ, answer(403, body))
    assert "Belegbilderservice" in error.remedy.de
    assert "Belegbilderservice" in error.remedy.en


@pytest.mark.conforms("errors.statuses")
@pytest.mark.parametrize(
    ("call", "status", "kind", "outcome", "exit_status"),
    [
        (READ, 400, errors.Refused, "refused", 5),
        (READ, 401, errors.KeyRefused, "refused", 3),
        (READ, 402, errors.BudgetHeld, "refused", 4),
        (READ, 403, errors.ServiceNotBooked, "refused", 3),
        (READ, 404, errors.NotFound, "refused", 5),
        (READ, 409, errors.Refused, "refused", 5),
        (READ, 500, errors.ServiceDown, "refused", 5),
        (READ, 301, errors.BadReply, "refused", 5),
        (WRITE, 400, errors.Refused, "refused", 5),
        (WRITE, 401, errors.KeyRefused, "refused", 3),
        (WRITE, 403, errors.RightMissing, "refused", 3),
        (WRITE, 408, errors.OutcomeUnknown, "unknown", 6),
        (WRITE, 500, errors.OutcomeUnknown, "unknown", 6),
        (WRITE, 503, errors.OutcomeUnknown, "unknown", 6),
        (WRITE, 409, errors.OutcomeUnknown, "unknown", 6),
        (WRITE, 429, errors.OutcomeUnknown, "unknown", 6),
        (WRITE, 307, errors.OutcomeUnknown, "unknown", 6),
        (WRITE, 308, errors.OutcomeUnknown, "unknown", 6),
        (WRITE, 303, errors.OutcomeUnknown, "unknown", 6),
    ],
)
def test_a_status_is_sorted_by_its_consequence(call, status, kind, outcome, exit_status):
    error = judged(call, answer(status, {"error": "so it is"}))
    assert type(error) is kind
    assert (error.outcome, error.exit_status) == (outcome, exit_status)
    assert error.remedy.en
    assert error.remedy.de


@pytest.mark.conforms("errors.default_client_403")
def test_a_plain_403_with_a_client_named_is_a_missing_right():
    call = Call("GET", "/v2/ledger-rewe-read/susa", carries_quelle=True, has_client=True)
    assert isinstance(judged(call, answer(403, {"error": "no"})), errors.RightMissing)


@pytest.mark.conforms("error.message", "errors.body")
def test_the_words_of_the_service_are_kept():
    error = judged(WRITE, answer(400, {"error": "creditor_iban is invalid", "message": "checksum"}))
    assert "creditor_iban is invalid – checksum" in error.message.en
    assert "creditor_iban is invalid" in error.message.de


def test_an_html_error_page_is_not_repeated_to_people():
    error = judged(READ, Answer(502, {}, b"<html><body>Bad gateway</body></html>"))
    assert "<html>" not in error.message.en


def test_the_key_is_hidden_even_if_the_service_repeats_it():
    body = {"error": f"bad key {KEY}", "details": [{"x-api-key": KEY, KEY: 1}]}
    for status in (400, 401, 403, 500):
        assert KEY not in str(judged(READ, answer(status, body)).as_dict("de"))
    assert KEY not in str(judged(READ, Answer(400, {}, f"plain {KEY}".encode())).as_dict())


@pytest.mark.parametrize(
    ("call", "result", "again"),
    [
        (READ, TransportFailure(sent=True, why=say("why_dropped")), True),
        (READ, TransportFailure(sent=False, why=say("why_dropped")), True),
        (WRITE, TransportFailure(sent=False, why=say("why_dropped")), False),
        (WRITE, TransportFailure(sent=True, why=say("why_dropped")), False),
        (READ, answer(500), True),
        (READ, answer(503), True),
        (READ, answer(502, {"error": "no", "code": "ledger_connection_invalid"}), False),
        (READ, answer(502, {"error": "no", "code": "busy"}), True),
        (READ, answer(400), False),
        (READ, answer(429), True),
        (WRITE, answer(429), False),
        (WRITE, answer(500), False),
        (WRITE, answer(503), False),
        (WRITE, answer(408), False),
    ],
)
def test_only_reads_are_repeated_by_the_client(call, result, again):
    assert may_retry(call, result) is again


def test_an_unreadable_success_of_a_write_has_an_unknown_outcome():
    assert isinstance(unreadable_reply_error(WRITE, answer(200)), errors.OutcomeUnknown)
    assert isinstance(unreadable_reply_error(READ, answer(200)), errors.BadReply)


@pytest.mark.conforms("errors.missing_parameter")
@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Missing required query parameter: verbindungs_id", "verbindungs_id"),
        ("verbindungsId is required", "verbindungsId"),
        ("query parameter 'verbindung' fehlt", "verbindung"),
        ("missing required parameter: verbindung", "verbindung"),
        ("Query parameter verbindung is required", "verbindung"),
        ("verbindung fehlt", "verbindung"),
        ("missing verbindung", "verbindung"),
    ],
)
def test_a_400_that_asks_for_another_name_says_which_wire_key_to_set(said, name):
    call = Call(
        "GET",
        "/v2/ledger-duo/kassenbuecher",
        {"connection_id": "x"},
        carries_quelle=True,
        wire_names={"ledger.connection": "connection_id"},
    )
    error = judged(call, answer(400, {"error": said}))
    for remedy in error.remedy:
        assert "ledger.connection" in remedy
        assert name in remedy


def test_a_400_about_something_else_gives_no_wire_advice():
    call = Call("GET", "/v2/x", {"connection_id": "x"}, wire_names={"ledger.connection": "connection_id"})
    assert "KONTOR_WIRE" not in judged(call, answer(400, {"error": "connection_id is not a UUID"})).remedy.en
