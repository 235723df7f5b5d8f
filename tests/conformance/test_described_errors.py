"""What the service's description says of errors, keys and limits, as an action tells it, on a real socket."""

from __future__ import annotations

from typing import Any

import pytest

from connector.core import errors
from connector.core.values import json
from connector.runtime.session import Session
from connector.sandbox.banking.demo import MAIN_ACCOUNT, SAVINGS
from connector.sandbox.ledger.demo import ledger_connection_id
from tests.conformance.conftest import Opened, Wiretap, items
from tests.support.filled_in import NORDLICHT
from tests.support.running_sandbox import RunningSandbox

SUSA = {"ledger_connection": NORDLICHT, "geschaeftsjahrStartDatum": "2026-01-01"}
HINT = 'Send the request with the header line "x-api-key: <your key>".'
CODES: dict[str, type[errors.KontorError]] = {
    "ledger_connection_invalid": errors.ReconnectNeeded,
    "ledger_export_service_missing": errors.ServiceNotBooked,
    "ledger_endpoint_not_authorized": errors.RightMissing,
}


def _answered(session: Session, sandbox: RunningSandbox, status: int, **body: Any) -> errors.KontorError:
    """How the trial balance fails where the service answers so."""
    sandbox.order("/faults", kind="answer_before", times=None, status=status, content=json.encode(body).decode())
    with pytest.raises(errors.KontorError) as caught:
        session.invoke("get_trial_balance", SUSA)
    sandbox.heal()
    return caught.value


@pytest.mark.conforms("error.message", "errors.body", "ledger_error.error", "ledger_error.details")
def test_the_message_and_all_fields_beside_it_reach_the_caller(session: Session, sandbox: RunningSandbox) -> None:
    plain = _answered(session, sandbox, 400, error="Das Jahr ist geschlossen.")
    assert type(plain) is errors.Refused
    assert "Das Jahr ist geschlossen." in plain.message.en
    details = {"recht": "RE-123", "versuch": 2}
    fuller = _answered(session, sandbox, 403, error="no", message="Nur lesend", details=details, code=[*CODES][2])
    assert fuller.as_dict()["details"]["body"]["details"] == details
    assert "Nur lesend" in str(fuller.as_dict()["details"]["body"])


@pytest.mark.conforms("ledger_error.code", "errors.statuses", "service.names_on_the_wire")
@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 502])
def test_a_ledger_code_decides_whatever_its_status_and_an_unknown_one_decides_nothing(
    status: int, session: Session, sandbox: RunningSandbox
) -> None:
    found = {code: type(_answered(session, sandbox, status, error="no", code=code)) for code in CODES}
    assert found == CODES
    if status == 400:
        assert type(_answered(session, sandbox, status, error="no", code="ledger_moon")) is errors.Refused


@pytest.mark.conforms(
    "ledger_error.reconnect_url",
    "ledger_error.active_subscriptions",
    "authentication.ledger_connection_lost",
    "errors.connection_invalid",
    "errors.service_missing",
    "errors.right_missing",
)
def test_a_broken_ledger_connection_brings_its_link_or_what_is_booked_or_who_can_help(session: Session) -> None:
    told = {}
    for code, kind in CODES.items():
        with pytest.raises(kind) as caught:
            session.invoke("list_cash_books", {"ledger_connection": ledger_connection_id(code)})
        told[code] = caught.value
    invalid, missing, right = told.values()
    assert invalid.reconnect_url
    assert invalid.reconnect_url.startswith("http")
    assert (missing.reconnect_url, right.reconnect_url) == (None, None)
    assert "Rechnungsdatenservice" in missing.remedy.en
    assert "Connecting again does not help" in right.remedy.en
    assert len({error.remedy for error in told.values()}) == len(CODES)


@pytest.mark.conforms(
    "authentication.key", "authentication.missing_key", "authentication.status", "ledger_error.message"
)
def test_a_refused_key_is_known_whatever_the_status_and_the_hint_is_shown(
    opened: Opened, sandbox: RunningSandbox
) -> None:
    with pytest.raises(errors.KeyRefused) as caught:
        opened(key="sk_wrong_but_secret").invoke("list_bank_accounts")
    assert "sk_wrong_but_secret" not in str(caught.value.as_dict())
    assert "API key" in caught.value.remedy.en
    for status in (400, 401, 403):
        missing = _answered(opened(), sandbox, status, error="API key missing.", message=HINT)
        assert type(missing) is errors.KeyRefused
        assert "x-api-key" in str(missing.as_dict())


@pytest.mark.conforms("authentication.agency_keys", "transaction.agency_scope", "transaction.needs_account")
def test_an_agency_key_reaches_the_accounts_of_its_scope_only(
    opened: Opened, session: Session, sandbox: RunningSandbox
) -> None:
    agency = opened(key="sandbox-agency-key")
    within = {
        account: items(session, "list_transactions", account_id=account)[0] for account in (MAIN_ACCOUNT, SAVINGS)
    }
    reached = agency.invoke("get_transaction", {"account_id": MAIN_ACCOUNT, "id": within[MAIN_ACCOUNT]["id"]})
    assert sandbox.requests()[-1]["query"] == {"account_id": MAIN_ACCOUNT}, "the rest is derived from it"
    assert reached.output["account_id"] == MAIN_ACCOUNT
    with pytest.raises(errors.RightMissing) as caught:
        agency.invoke("get_transaction", {"account_id": SAVINGS, "id": within[SAVINGS]["id"]})
    assert "scope" in caught.value.remedy.en
    with pytest.raises(errors.InputError) as refused:
        session.invoke("get_transaction", {"id": within[SAVINGS]["id"]})
    assert refused.value.field == "account_id"


@pytest.mark.conforms("errors.missing_parameter", "transactions.needs_account_or_connection")
def test_a_missing_parameter_is_named_before_sending_and_by_the_service_with_400(
    session: Session, sandbox: RunningSandbox
) -> None:
    before = len(sandbox.requests())
    with pytest.raises(errors.InputError) as caught:
        session.invoke("list_transactions", {})
    assert caught.value.field in ("connection_id", "account_id")
    assert len(sandbox.requests()) == before
    refused = sandbox.api.get("/v2/banking/transactions")
    assert refused.status_code == 400
    told = _answered(session, sandbox, 400, **refused.json())
    assert type(told) is errors.Refused
    assert "connection_id" in told.message.en


@pytest.mark.conforms("endpoints.default_client_without_export", "errors.default_client_403", "endpoints.client")
def test_the_default_client_is_used_until_another_is_named(session: Session, sandbox: RunningSandbox) -> None:
    without = {"ledger_connection": ledger_connection_id("export_403")}
    with pytest.raises(errors.ServiceNotBooked):
        session.invoke("get_open_items", without)
    assert sandbox.requests()[-1]["status"] == 403
    assert "client_id" not in sandbox.requests()[-1]["query"]
    session.invoke("get_open_items", {**without, "client": "29098-10002"})
    several = {"ledger_connection": ledger_connection_id("kanzlei")}
    default = session.invoke("get_open_items", several).output
    assert session.invoke("get_open_items", {**several, "client": "29098-10001"}).output == default
    assert session.invoke("get_open_items", {**several, "client": "29098-10002"}).output["konten"] != default["konten"]
    with pytest.raises(errors.InputError) as caught:
        session.invoke("get_open_items", {**several, "client": "29098"})
    assert caught.value.field == "client"


@pytest.mark.conforms("endpoints.client_name", "transactions.end_date", "bank_accounts.able_to_pay")
def test_a_name_that_is_not_shown_is_the_one_of_the_wire_file(opened: Opened) -> None:
    wire = {"ledger": {"client": "mandant"}, "transactions": {"end_date": "bis"}, "accounts": {"payments_only": "zb"}}
    session = opened(wire=wire)
    asked = {
        "mandant": ("list_cash_books", {"ledger_connection": NORDLICHT, "client": "29098-10001"}),
        "bis": ("list_transactions", {"account_id": MAIN_ACCOUNT, "to_date": "31.12.2026"}),
        "zb": ("list_bank_accounts", {"payments_only": True}),
    }
    for name, (action, inputs) in asked.items():
        assert f"{name}=" in session.invoke(action, inputs, dry_run=True).output["url"]


@pytest.mark.conforms("credit_reservation.expired", "conventions.two_phase_credits")
def test_a_call_that_fails_costs_nothing(session: Session, sandbox: RunningSandbox) -> None:
    before = sandbox.balance()
    with pytest.raises(errors.ServiceNotBooked):
        session.invoke("get_open_items", {"ledger_connection": ledger_connection_id("export_403")})
    assert sandbox.available() == sandbox.balance() == before
    paid = session.invoke("list_cash_books", {"ledger_connection": NORDLICHT}).credits
    assert (paid.cost, paid.balance, sandbox.balance()) == (1, before - 1, before - 1)


@pytest.mark.conforms("rate.api", "rate.headers", "errors.too_many")
@pytest.mark.parametrize(("limit", "headers"), [(60, True), (200, False)])
def test_calls_stay_below_the_limit_that_is_described_or_told_and_meet_no_429(
    limit: int, headers: bool, opened: Opened, wiretap: Wiretap, sandbox: RunningSandbox
) -> None:
    session = opened(transport=wiretap)
    sandbox.order("/limits", limit=limit, window=900, headers=headers)
    with pytest.raises(errors.RateLimited) as caught:
        [session.invoke("list_bank_accounts") for _ in range(limit + 1)]
    answers = [answer for _, answer in wiretap.exchanges]
    assert {answer.status_code for answer in answers} == {200}
    assert limit * 0.8 <= len(answers) <= limit, "some are kept for writes"
    told = {"ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"}
    assert all(told <= set(answer.headers) for answer in answers) == headers
    assert caught.value.retry_at
    window = session.state.governor.snapshot(session.clock.monotonic())
    assert window.limit == limit


@pytest.mark.conforms("errors.too_many", "rate.headers")
def test_a_429_is_told_with_the_time_at_which_it_is_over(opened: Opened, sandbox: RunningSandbox) -> None:
    session = opened()
    sandbox.order("/limits", limit=0, window=900)
    with pytest.raises(errors.RateLimited) as caught:
        session.invoke("list_bank_accounts")
    assert sandbox.requests()[-1]["status"] == 429
    assert caught.value.retry_at
