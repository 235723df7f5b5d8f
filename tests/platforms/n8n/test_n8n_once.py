"""Writes through n8n's own engine: never twice, and what is told of them is true."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connector import Connector
from connector.core.timing import Clock
from tests.platforms.n8n.engine.n8n_engine import Engine, Refusal, Stand, chosen, parameters_of
from tests.platforms.n8n.engine.n8n_tools import Toolchain
from tests.platforms.small_bank import BAD_IBAN, ENTRIES, ENTRY, PAPIER, PAYMENTS, VOSS, SmallBank, small_bank

pytestmark = pytest.mark.platforms

CONNECTOR = Connector("unused")
PAY = CONNECTOR.action("initiate_payment")
BOOK = CONNECTOR.action("create_cash_book_entry")
PAYMENT = {
    "account_id": "8101",
    "creditor_name": "={{ $json.name }}",
    "creditor_iban": "={{ $json.iban }}",
    "amount": "297.50",
}
Row = dict[str, Any]
DAY = 24 * 60 * 60 * 1000


@pytest.fixture
def bank() -> Iterator[SmallBank]:
    with small_bank() as bank:
        yield bank


@pytest.fixture
def flow(engine: Engine, bank: SmallBank) -> Stand:
    return Stand(engine, {"baseUrl": bank.url, "apiKey": bank.key})


def pay(flow: Stand, *items: Row, again: bool = False, **more: Any) -> Row:
    parameters = {**chosen(PAY), **parameters_of(PAY, PAYMENT), "again": again}
    given = [{"json": one} for one in items]
    return flow.engine.ask("run", "kontor", flow.credential, parameters=parameters, items=given, **more)


def book(flow: Stand, **more: Any) -> Row:
    parameters = {**chosen(BOOK), **parameters_of(BOOK, ENTRY), **more.pop("also", {})}
    return flow.engine.ask("run", "kontor", flow.credential, parameters=parameters, **more)


def retry(flow: Stand, failed: Refusal, action: Any = PAY, inputs: Row = PAYMENT, **more: Any) -> Row:
    """The editor's "Retry execution"."""
    parameters = {**chosen(action), **parameters_of(action, inputs)}
    return flow.engine.ask("retry", "kontor", flow.credential, parameters=parameters, of=failed.execution, **more)


def ids(answer: Row) -> list[str]:
    return [item["json"]["id"] for item in answer["items"]]


def test_one_bad_iban_among_two_items_and_nothing_is_sent(flow: Stand, bank: SmallBank) -> None:
    with pytest.raises(Refusal, match="IBAN") as caught:
        pay(flow, VOSS, {**PAPIER, "iban": BAD_IBAN}, retry=True)
    assert "Nothing was sent" in caught.value.remedy
    assert (bank.payments, bank.asked) == ([], [])


def test_a_flow_that_goes_on_pays_what_is_right_once(flow: Stand, bank: SmallBank) -> None:
    bad = {**PAPIER, "iban": BAD_IBAN}
    first, second = (item["json"] for item in pay(flow, bad, VOSS, retry=True, continueOnFail=True)["items"])
    assert (first["kind"], first["outcome"]) == ("input", "not_sent")
    assert second["id"] == bank.payments[0]["id"]
    assert len(bank.payments) == 1


def test_a_payment_carries_the_key_of_its_item_and_is_looked_up_first(flow: Stand, bank: SmallBank) -> None:
    answer = pay(flow, VOSS, PAPIER, workflow="77")
    keys = [row["custom_fields"]["kontor_key"].split(":") for row in bank.payments]
    assert [(one[0], one[1], one[2], one[4:]) for one in keys] == [
        ("n8n", "77", answer["execution"], ["0", "0"]),
        ("n8n", "77", answer["execution"], ["0", "1"]),
    ]
    look, send = ("GET", PAYMENTS), ("POST", PAYMENTS)
    assert bank.asked == [look, send, look, look, send]  # an empty list is seen whole at once


def test_a_lost_payment_with_retry_on_fail_is_paid_once_and_found(flow: Stand, bank: SmallBank) -> None:
    bank.loses = 1
    assert ids(pay(flow, VOSS, retry=True)) == [bank.payments[0]["id"]]
    assert len(bank.payments) == 1


def test_a_lost_payment_with_retry_on_fail_is_paid_once_and_told_as_unknown(flow: Stand, bank: SmallBank) -> None:
    bank.loses, bank.hides = 1, True
    with pytest.raises(Refusal, match="nobody knows whether the service acted") as caught:
        pay(flow, VOSS, retry=True)
    assert "never sends it again" in caught.value.remedy
    assert bank.asked_for("POST", PAYMENTS) == 1


def test_a_lost_booking_with_retry_on_fail_is_booked_once_and_told_as_unknown(flow: Stand, bank: SmallBank) -> None:
    bank.loses = 1
    with pytest.raises(Refusal, match="nobody knows whether the service acted") as caught:
        book(flow, retry=True)
    assert "Look in the ledger or bank" in caught.value.remedy
    assert len(bank.entries) == 1


def test_the_refusal_of_the_second_item_names_the_payment_of_the_first(flow: Stand, bank: SmallBank) -> None:
    bank.refuses = "Petersen"
    with pytest.raises(Refusal, match="not welcome") as caught:
        pay(flow, VOSS, PAPIER, retry=True)
    [made] = bank.payments
    assert f"item 1 ({made['id']}, Initiated, Reifen Voss KG, 297.50, EUR" in caught.value.remedy
    assert bank.asked_for("POST", PAYMENTS) == 1 + 1  # what nothing proves is told again, not sent again


def test_a_retry_of_the_execution_repeats_neither_what_was_done_nor_what_was_refused(
    flow: Stand, bank: SmallBank
) -> None:
    bank.refuses = "Petersen"
    with pytest.raises(Refusal) as caught:
        pay(flow, VOSS, PAPIER)
    bank.refuses = None
    with pytest.raises(Refusal, match="not welcome"):  # nothing proves that nothing was done
        retry(flow, caught.value)
    assert bank.asked_for("POST", PAYMENTS) == 1 + 1
    assert ids(pay(flow, PAPIER)) == [bank.payments[1]["id"]]
    assert [row["creditor_name"] for row in bank.payments] == ["Reifen Voss KG", "Papier Petersen"]


def test_a_retry_of_the_execution_does_not_repeat_a_lost_booking(flow: Stand, bank: SmallBank) -> None:
    bank.loses = 1
    with pytest.raises(Refusal) as caught:
        book(flow)
    with pytest.raises(Refusal, match="nobody knows"):
        retry(flow, caught.value, BOOK, ENTRY)
    assert len(bank.entries) == 1


def test_after_a_restart_a_retry_of_the_execution_does_not_repeat_a_lost_booking(
    tools: Toolchain, package: Path, bank: SmallBank
) -> None:
    """What the execution and the node keep is enough."""
    credential = {"baseUrl": bank.url, "apiKey": bank.key, "account": "7"}
    bank.loses = 1
    first, second = (Stand(Engine(tools, package), credential) for _ in range(2))
    with pytest.raises(Refusal) as caught:
        book(first)
    assert "kontorWrites" in str(caught.value.static)
    with pytest.raises(Refusal, match="nobody knows"):
        book(second, static=caught.value.static)
    for one in (first, second):
        one.engine.close()
    assert len(bank.entries) == 1


def test_a_retry_that_has_forgotten_the_execution_is_held_back_by_the_list(flow: Stand, bank: SmallBank) -> None:
    bank.refuses = "Petersen"
    with pytest.raises(Refusal) as caught:
        pay(flow, VOSS, PAPIER)
    fresh = Stand(flow.engine, {"baseUrl": bank.url, "apiKey": bank.key})
    with pytest.raises(Refusal, match=bank.payments[0]["id"]) as held:
        retry(fresh, caught.value, forgets=True)
    assert "Send Again on Purpose" in held.value.remedy
    assert len(bank.payments) == 1


def test_every_item_of_a_retry_that_has_forgotten_the_execution_is_held_back(flow: Stand, bank: SmallBank) -> None:
    bank.refuses = "Petersen"
    with pytest.raises(Refusal) as caught:
        pay(flow, VOSS, {**VOSS, "name": "Reifen Voss Filiale"}, PAPIER)
    fresh = Stand(flow.engine, {"baseUrl": bank.url, "apiKey": bank.key})
    items = retry(fresh, caught.value, forgets=True, saved=True, continueOnFail=True)["items"]
    assert [item["json"]["kind"] for item in items] == ["likely_repeat", "likely_repeat", "refused"]
    assert len(bank.payments) == 2


def test_a_retry_on_a_later_day_finds_a_payment_whose_day_has_passed(flow: Stand, bank: SmallBank) -> None:
    bank.loses, bank.hides = 1, True
    inputs = {**PAYMENT, "execution_date": Clock().berlin_today().isoformat()}
    parameters = {**chosen(PAY), **parameters_of(PAY, inputs)}
    with pytest.raises(Refusal, match="Nobody knows") as caught:
        flow.engine.ask("run", "kontor", flow.credential, parameters=parameters, items=[{"json": VOSS}])
    bank.hides = False
    assert ids(retry(flow, caught.value, inputs=inputs, ahead=DAY)) == [bank.payments[0]["id"]]
    assert len(bank.payments) == 1


def test_an_equal_booking_of_another_execution_waits_until_a_person_says_so(flow: Stand, bank: SmallBank) -> None:
    bank.loses = 1
    with pytest.raises(Refusal):
        book(flow)
    with pytest.raises(Refusal, match="nobody knows") as held:
        book(flow)
    assert "Send Again on Purpose" in held.value.remedy
    book(flow, also={"again": True})
    book(flow)
    assert len(bank.entries) == 3


def test_equal_payments_of_other_executions_are_made(flow: Stand, bank: SmallBank) -> None:
    for _ in range(2):
        pay(flow, VOSS)
    pay(flow, VOSS, VOSS)
    assert len(bank.payments) == 4


def test_a_person_who_runs_a_step_twice_in_the_editor_is_asked(flow: Stand, bank: SmallBank) -> None:
    pay(flow, VOSS, mode="manual")
    with pytest.raises(Refusal, match="a short time ago"):
        pay(flow, VOSS, mode="manual")
    pay(flow, VOSS, mode="manual", again=True)
    assert len(bank.payments) == 2


def test_a_lost_payment_of_one_item_does_not_hide_the_others(flow: Stand, bank: SmallBank) -> None:
    bank.loses, bank.hides = 1, True
    first, second = (item["json"] for item in pay(flow, VOSS, PAPIER, continueOnFail=True)["items"])
    assert (first["kind"], first["outcome"]) == ("outcome_unknown", "unknown")
    assert second["id"] == bank.payments[1]["id"]


def test_nothing_is_paid_where_nobody_can_look(flow: Stand, bank: SmallBank) -> None:
    bank.is_down = True
    with pytest.raises(Refusal) as caught:
        pay(flow, VOSS)
    assert "Nothing was changed" in caught.value.remedy
    assert bank.asked_for("POST", PAYMENTS) == 0


def test_the_data_that_n8n_keeps_hold_only_what_is_unsettled(flow: Stand, bank: SmallBank) -> None:
    assert not pay(flow, VOSS)["static"].get("node:Kontor")
    bank.loses = 1
    with pytest.raises(Refusal) as caught:
        book(flow)
    kept = caught.value.static["node:Kontor"]["kontorWrites"]
    assert {one["state"] for one in kept.values()} == {"unknown"}
    settled = book(flow, also={"again": True}, static=caught.value.static)["static"]["node:Kontor"]["kontorWrites"]
    assert [name for name in settled if name.startswith("digest:")] == []
    assert bank.asked_for("POST", ENTRIES) == 2
