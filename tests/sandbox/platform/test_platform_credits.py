from __future__ import annotations

from datetime import UTC, datetime

import httpx
import pytest

from connector.sandbox.access.credits import Credits
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.sandbox.traffic.http_messages import ServiceError
from tests.support.running_sandbox import RunningSandbox

NOW = datetime(2026, 11, 1, tzinfo=UTC)
TRANSACTIONS = f"/v2/banking/transactions?account_id={MAIN_ACCOUNT}"
PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Kettenwerk Teile GmbH",
    "creditor_iban": "DE89370400440532013000",
    "amount": 10.5,
}


def _ledger_connection(sandbox: RunningSandbox) -> str:
    id: str = sandbox.api.get("/v2/ledger-duo/connections").json()["connections"][0]["id"]
    return id


@pytest.mark.conforms("conventions.two_phase_credits")
def test_a_reservation_lowers_what_is_available_and_not_the_balance() -> None:
    credits = Credits({"org": 10})
    credits.reserve("org", 3, NOW)
    assert (credits.balance("org"), credits.available("org")) == (10, 7)


@pytest.mark.conforms("credit_reservation.confirmed")
def test_confirming_charges_once() -> None:
    credits = Credits({"org": 10})
    reservation = credits.reserve("org", 3, NOW)
    assert credits.confirm(reservation) == 3
    assert credits.confirm(reservation) == 0
    assert (credits.balance("org"), credits.available("org")) == (7, 7)


@pytest.mark.conforms("credit_reservation.expired")
def test_expiring_gives_back() -> None:
    credits = Credits({"org": 10})
    credits.expire(credits.reserve("org", 3, NOW))
    assert (credits.balance("org"), credits.available("org")) == (10, 10)


def test_what_is_reserved_cannot_be_reserved_again() -> None:
    credits = Credits({"org": 5})
    credits.reserve("org", 3, NOW)
    with pytest.raises(ServiceError) as refusal:
        credits.reserve("org", 3, NOW)
    assert refusal.value.status == 402


@pytest.mark.conforms("conventions.two_phase_credits", "credit_reservation.confirmed", "costs.transactions")
def test_a_call_is_charged_after_success(sandbox: RunningSandbox) -> None:
    assert sandbox.api.get(TRANSACTIONS).status_code == 200
    assert sandbox.balance() == 999
    assert sandbox.requests()[-1]["credits_charged"] == 1


@pytest.mark.conforms("conventions.two_phase_credits", "credit_reservation.expired")
def test_a_refused_call_costs_nothing(sandbox: RunningSandbox) -> None:
    assert sandbox.api.get("/v2/banking/transactions").status_code == 400
    assert sandbox.api.get(f"{TRANSACTIONS}&sort=amount").status_code == 400
    assert (sandbox.balance(), sandbox.available()) == (1000, 1000)


@pytest.mark.conforms("payments.endpoint", "costs.free")
def test_free_banking_reads_cost_nothing(sandbox: RunningSandbox) -> None:
    for path in ("connections/111483902742913201", "accounts", "payments", "payments/9999999999999994", "webhook-url"):
        assert sandbox.api.get(f"/v2/banking/{path}").status_code == 200
    assert sandbox.balance() == 1000


def test_without_credits_comes_402_before_anything_happens(sandbox: RunningSandbox) -> None:
    answer = sandbox.with_key("sandbox-poor-key").get(TRANSACTIONS)
    assert answer.status_code == 402
    assert answer.json()["error"]


@pytest.mark.conforms("conventions.credit_balance")
def test_a_ledger_answer_carries_the_balance_after_the_call(sandbox: RunningSandbox) -> None:
    answer = sandbox.api.get("/v2/ledger-duo/kassenbuecher", params={"connection_id": _ledger_connection(sandbox)})
    assert answer.json()["platform"] == {"neuesGuthaben": 999}


@pytest.mark.conforms("cash_books.endpoint", "costs.dropdowns")
def test_a_lookup_marked_as_dropdown_is_free(sandbox: RunningSandbox) -> None:
    query = {"connection_id": _ledger_connection(sandbox), "dropdown": "true"}
    answer = sandbox.api.get("/v2/ledger-duo/kassenbuecher", params=query)
    assert answer.json()["platform"] == {"neuesGuthaben": 1000}
    assert (sandbox.requests()[-1]["dropdown"], sandbox.requests()[-1]["credits_charged"]) == (True, 0)


@pytest.mark.conforms("costs.dropdowns")
def test_the_dropdown_marker_does_not_make_other_calls_free(sandbox: RunningSandbox) -> None:
    query = {"connection_id": _ledger_connection(sandbox), "dropdown": "true"}
    assert sandbox.api.get("/v2/ledger-rewe-read/opos", params=query).json()["platform"] == {"neuesGuthaben": 995}


@pytest.mark.conforms("payment_status.processing_to_settled", "costs.payment")
def test_a_payment_holds_three_credits_and_charges_them_when_settled(sandbox: RunningSandbox) -> None:
    payment = sandbox.api.post("/v2/banking/payments", json=PAYMENT).json()["data"]
    assert (sandbox.balance(), sandbox.available()) == (1000, 997)
    sandbox.order(f"/payments/{payment['id']}", status="executed")
    assert (sandbox.balance(), sandbox.available()) == (1000, 997)
    sandbox.order(f"/payments/{payment['id']}", status="settled")
    assert (sandbox.balance(), sandbox.available()) == (997, 997)


@pytest.mark.parametrize("end", ["failed", "rejected"])
def test_a_payment_that_fails_gives_its_credits_back(sandbox: RunningSandbox, end: str) -> None:
    payment = sandbox.api.post("/v2/banking/payments", json=PAYMENT).json()["data"]
    sandbox.order(f"/payments/{payment['id']}", status=end)
    assert (sandbox.balance(), sandbox.available()) == (1000, 1000)


def test_a_refused_payment_holds_no_credits(sandbox: RunningSandbox) -> None:
    assert sandbox.api.post("/v2/banking/payments", json={**PAYMENT, "amount": -1}).status_code == 400
    assert sandbox.available() == 1000


def test_credits_held_by_payments_cannot_be_spent(sandbox: RunningSandbox) -> None:
    sandbox.order("/credits", balance=4)
    assert sandbox.api.post("/v2/banking/payments", json=PAYMENT).status_code == 201
    assert sandbox.api.post("/v2/banking/payments", json=PAYMENT).status_code == 402
    assert sandbox.api.get(TRANSACTIONS).status_code == 200
    assert sandbox.api.get(TRANSACTIONS).status_code == 402


def test_the_balance_can_be_set_for_one_key(sandbox: RunningSandbox) -> None:
    sandbox.order("/credits", key="sandbox-poor-key", balance=1)
    assert sandbox.with_key("sandbox-poor-key").get(TRANSACTIONS).status_code == 404
    assert sandbox.balance() == 1000


def test_credits_stay_reserved_for_as_long_as_a_realistic_call_takes(sandbox: RunningSandbox) -> None:
    ledger_connection = _ledger_connection(sandbox)
    sandbox.order("/settings", realistic_durations=True)
    with pytest.raises(httpx.ReadTimeout):
        sandbox.api.get("/v2/ledger-rewe-read/opos", params={"connection_id": ledger_connection}, timeout=0.2)
    assert sandbox.requests()[-1]["status"] is None
    assert (sandbox.balance(), sandbox.available()) == (1000, 995)
