"""The credit ledger: what calls cost, what is left, what is reserved."""

from decimal import Decimal

import pytest

from connector.client.call import Call
from connector.client.key_states import CreditLedger

PAID = Call("GET", "/a", label="trial balance", cost=1)
SILENT = Call("GET", "/b", label="transactions", cost=1)
LOOKUP = Call("GET", "/c", label="cash books", lookup=True)
PAYMENT = Call("POST", "/d", label="payment", writes=True, cost=3, reserves=True, returns_payments=True)
PAYMENTS = Call("GET", "/d", label="payments", returns_payments=True)


def told(balance: int) -> dict:
    return {"data": [], "platform": {"neuesGuthaben": balance}}


def done(ledger: CreditLedger, call: Call, value):
    ledger.begin(call)
    charge = ledger.record(call, value)
    ledger.end(call)
    return charge


@pytest.mark.conforms("conventions.balance_is_not_everywhere")
def test_the_balance_is_learnt_and_counted_down_where_the_service_is_silent():
    ledger = CreditLedger()
    assert done(ledger, SILENT, {"data": []}).balance is None
    assert done(ledger, PAID, told(90)).balance == 90
    assert done(ledger, SILENT, {"data": []}).balance == 89
    assert done(ledger, PAID, told(70)).balance == 70
    assert ledger.spent == {"transactions": 2, "trial balance": 2}


def test_a_lookup_is_expected_to_be_free():
    ledger = CreditLedger()
    done(ledger, PAID, told(90))
    assert done(ledger, LOOKUP, told(90)).cost == 0
    assert not ledger.spent["cash books"]


@pytest.mark.conforms("endpoints.dropdown_use")
def test_a_lookup_that_was_charged_is_reported():
    ledger = CreditLedger()
    done(ledger, PAID, told(90))
    assert done(ledger, LOOKUP, told(89)).cost == 1
    assert ledger.spent["cash books"] == 1


def test_a_lookup_is_not_blamed_for_what_another_call_may_have_cost():
    ledger = CreditLedger()
    done(ledger, PAID, told(90))
    ledger.begin(SILENT)
    assert done(ledger, LOOKUP, told(89)).cost == 0
    ledger.end(SILENT)
    assert not ledger.spent["cash books"]


@pytest.mark.conforms("payment_status.processing_to_settled", "costs.payment")
def test_a_payment_is_reserved_until_it_settles():
    ledger = CreditLedger(balance=Decimal(10))
    done(ledger, PAYMENT, {"data": {"id": "7", "status": "initiated"}})
    assert (ledger.balance, ledger.available) == (10, 7)
    done(ledger, PAYMENTS, {"data": [{"id": "7", "status": "executed"}, {"id": "6", "status": "settled"}]})
    assert ledger.available == 7
    done(ledger, PAYMENTS, {"data": [{"id": "7", "status": "settled"}]})
    assert (ledger.balance, ledger.available, ledger.spent["payment settled"]) == (7, 7, 3)
    ledger.settle("7", "settled")
    assert ledger.balance == 7


@pytest.mark.conforms("credit_reservation.expired")
def test_a_failed_payment_gives_its_reservation_back():
    ledger = CreditLedger(balance=Decimal(10))
    done(ledger, PAYMENT, {"id": "7", "status": "initiated"})
    ledger.settle("7", "rejected")
    assert (ledger.balance, ledger.available, ledger.reserved) == (10, 10, {})
