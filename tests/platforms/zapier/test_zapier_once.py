"""Writes through Zapier: never twice, and what is told of them is true."""

from __future__ import annotations

import json

import pytest

from tests.platforms.small_bank import ENTRIES, ENTRY, PAYMENTS, VOSS, small_bank
from tests.platforms.zapier.zapier_engine import ZapierError

pytestmark = pytest.mark.platforms
PAYMENT = {
    "account_id": "8101",
    "creditor_name": VOSS["name"],
    "creditor_iban": VOSS["iban"],
    "amount": "297.50",
}
ENTERED = {**ENTRY, "belegzeilen": [{"belegzeilen_betrag": "-41.65"}]}


@pytest.fixture
def bank():
    with small_bank() as bank:
        yield bank


@pytest.fixture
def engine(_engine, bank):
    _engine.auth = {"base_url": bank.url, "api_key": bank.key}
    return _engine


def pay(engine, **more):
    return engine.execute("creates.initiate_payment.operation.perform", {**PAYMENT, **more})


def book(engine, **more):
    return engine.execute("creates.create_cash_book_entry.operation.perform", {**ENTERED, **more})


def refused(act, *arguments, **more):
    """The code and the words of the error that Zapier shows."""
    with pytest.raises(ZapierError) as caught:
        act(*arguments, **more)
    told = json.loads(str(caught.value))
    return told["code"], told["message"]


def test_a_payment_carries_key_and_digest_and_is_looked_up_first(engine, bank):
    pay(engine, kontor_key="RE-7")
    marks = bank.payments[0]["custom_fields"]
    assert marks["kontor_key"] == "zapier-77-RE-7"
    assert marks["kontor_digest"].startswith("2:")
    look, send = ("GET", PAYMENTS), ("POST", PAYMENTS)
    assert bank.asked == [look, send]  # an empty list is seen whole at once
    pay(engine, kontor_key="RE-8")
    assert bank.asked[2:] == [look, look, send]


@pytest.mark.parametrize("older", [0, 40])
@pytest.mark.parametrize("page_size", [1, 7, 10, 25, 33, 37])
def test_a_memory_that_is_lost_pays_nothing_again_whatever_the_size_of_pages(engine, bank, page_size, older):
    for _ in range(older):
        bank.wrote(PAYMENTS, {})
    first = pay(engine, kontor_key="RE-7")
    for _ in range(40):
        bank.wrote(PAYMENTS, {})
    bank.page_size = page_size
    engine.auth = {**engine.auth, "api_key": "the key that replaced it"}
    assert pay(engine, kontor_key="RE-7")["id"] == first["id"]
    assert bank.asked_for("POST", PAYMENTS) == 1


def test_a_lost_payment_that_is_found_is_the_result(engine, bank):
    bank.loses = 1
    assert pay(engine)["id"] == bank.payments[0]["id"]
    assert len(bank.payments) == 1


def test_a_lost_payment_says_the_outcome_and_what_to_do(engine, bank):
    bank.loses, bank.hides = 1, True
    code, message = refused(pay, engine)
    assert code == "outcome_unknown"
    assert "Nobody knows whether the service acted" in message
    assert "never sends it again" in message
    assert len(bank.payments) == 1


def test_a_lost_payment_stays_unknown_when_the_list_fails(engine, bank):
    bank.loses = 1
    done = bank.wrote
    bank.wrote = lambda *asked: (setattr(bank, "is_down", True), done(*asked))[1]
    assert refused(pay, engine)[0] == "outcome_unknown"
    assert len(bank.payments) == 1


def test_a_replay_with_a_key_gives_the_first_result(engine, bank):
    first = pay(engine, kontor_key="RE-7")
    assert pay(engine, kontor_key="RE-7")["id"] == first["id"]
    assert len(bank.payments) == 1


def test_a_replay_of_a_lost_payment_with_a_key_only_looks(engine, bank):
    bank.loses, bank.hides = 1, True
    refused(pay, engine, kontor_key="RE-7")
    code, message = refused(pay, engine, kontor_key="RE-7", kontor_again=True)
    assert (code, "was not sent again" in message) == ("outcome_unknown", True)
    bank.hides = False
    assert pay(engine, kontor_key="RE-7")["id"] == bank.payments[0]["id"]
    assert bank.asked_for("POST", PAYMENTS) == 1


def test_the_same_key_with_other_inputs_is_a_conflict(engine, bank):
    pay(engine, kontor_key="RE-7")
    code, message = refused(pay, engine, kontor_key="RE-7", amount="12.50")
    assert (code, "zapier-77-RE-7" in message) == ("input", True)
    assert len(bank.payments) == 1


def test_a_keyless_replay_is_held_back_and_can_be_meant(engine, bank):
    made = pay(engine)
    code, message = refused(pay, engine)
    assert (code, made["id"] in message, "Send Again on Purpose" in message) == ("likely_repeat", True, True)
    pay(engine, kontor_again="yes")
    assert len(bank.payments) == 2


def test_a_keyless_replay_in_another_process_is_held_back_by_the_list(engine, bank):
    pay(engine)
    engine.auth = {**engine.auth, "api_key": "the key that replaced it"}
    assert refused(pay, engine)[0] == "likely_repeat"
    bank.age_all(minutes=11)
    pay(engine)
    assert len(bank.payments) == 2


def test_a_keyless_replay_of_a_lost_payment_is_not_sent_even_later(engine, bank):
    bank.loses, bank.hides = 1, True
    refused(pay, engine)
    code, message = refused(pay, engine)
    assert (code, "nobody knows" in message) == ("likely_repeat", True)
    bank.hides = False
    bank.age_all(minutes=31)
    code, message = refused(pay, engine)
    assert (code, bank.payments[0]["id"] in message) == ("likely_repeat", True)
    assert len(bank.payments) == 1


def test_nothing_is_paid_where_nobody_can_look(engine, bank):
    bank.is_down = True
    code, message = refused(pay, engine)
    assert (code, "Nothing was changed" in message) == ("service_down", True)
    assert bank.asked_for("POST", PAYMENTS) == 0


def test_a_lost_booking_is_unknown_and_a_replay_does_not_book_again(engine, bank):
    bank.loses = 1
    code, message = refused(book, engine)
    assert (code, "Look in the ledger" in message) == ("outcome_unknown", True)
    assert refused(book, engine)[0] == "likely_repeat"
    assert len(bank.entries) == 1
    book(engine, kontor_again=True)
    assert len(bank.entries) == 2


def test_a_refusal_that_nothing_proves_is_told_again_until_a_person_means_the_write(engine, bank):
    bank.refuses = "Reifen"
    assert refused(pay, engine, kontor_key="RE-7")[0] == "refused"
    bank.refuses = None
    assert refused(pay, engine, kontor_key="RE-7")[0] == "refused"
    assert bank.payments == []
    pay(engine, kontor_key="RE-7", kontor_again=True)
    assert len(bank.payments) == 1


def test_nothing_is_sent_when_zapier_cannot_remember_it(engine, bank, unused_port):
    event = {
        "method": "creates.create_cash_book_entry.operation.perform",
        "bundle": {"authData": engine.auth, "inputData": ENTERED},
        "rpc_base": f"http://127.0.0.1:{unused_port}",
    }
    code, message = refused(engine.tell, event)
    assert (code, "Nothing was sent" in message) == ("store_down", True)
    assert bank.asked_for("POST", ENTRIES) == 0


@pytest.mark.parametrize("key", ["RE-7", ""])
def test_of_two_equal_payments_at_once_one_is_made(key, engine, bank):
    bundle = {"authData": engine.auth, "inputData": {**PAYMENT, "kontor_key": key}}
    one = {"method": "creates.initiate_payment.operation.perform", "bundle": bundle}
    answers = engine.tell({"at_once": [one, one]})["results"]
    # Under a key the second finds the first one's payment, or hears that it is still under way.
    refused = sum("error" in answer for answer in answers)
    assert refused <= 1 if key else refused == 1
    assert len(bank.payments) == 1
