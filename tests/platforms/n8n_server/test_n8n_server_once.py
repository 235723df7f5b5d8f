"""Writes in a whole n8n server, in executions of active workflows, with Retry On Fail and "Retry execution"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from connector import Connector
from tests.platforms.n8n.engine.n8n_engine import chosen, parameters_of
from tests.platforms.n8n_server.n8n_rest import Editor
from tests.platforms.small_bank import BAD_IBAN, ENTRY, PAPIER, PAYMENTS, VOSS, SmallBank, small_bank

pytestmark = [pytest.mark.platforms, pytest.mark.n8n_server]

CONNECTOR = Connector("unused")
RETRIES: dict[str, Any] = {"retryOnFail": True, "maxTries": 3, "waitBetweenTries": 100}
PAYMENT = {
    "account_id": "8101",
    "creditor_name": "={{ $json.name }}",
    "creditor_iban": "={{ $json.iban }}",
    "amount": "297.50",
}


@pytest.fixture
def bank() -> Iterator[SmallBank]:
    with small_bank() as bank:
        yield bank


def workflow(editor: Editor, bank: SmallBank, action: str, inputs: dict[str, Any]) -> str:
    manifest = CONNECTOR.action(action)
    parameters = {**chosen(manifest), **parameters_of(manifest, inputs)}
    return editor.called(editor.new_credential(bank.url, bank.key), parameters, **RETRIES)


def test_one_bad_iban_among_two_items_and_nothing_is_sent(editor: Editor, bank: SmallBank) -> None:
    paying = workflow(editor, bank, "initiate_payment", PAYMENT)
    done = editor.give(paying, VOSS, {**PAPIER, "iban": BAD_IBAN})
    assert (done.status, done.mode) == ("error", "webhook")
    assert "Nothing was sent" in done.error["description"]
    assert (bank.payments, bank.asked) == ([], [])


def test_a_lost_payment_is_paid_once_and_shown_as_unknown_until_it_is_found(editor: Editor, bank: SmallBank) -> None:
    bank.loses, bank.hides = 1, True
    paying = workflow(editor, bank, "initiate_payment", PAYMENT)
    lost = editor.give(paying, VOSS)
    assert (lost.status, "nobody knows" in lost.error["message"]) == ("error", True)
    assert "never sends it again" in lost.error["description"]
    again = editor.retry(lost)
    assert (again.mode, again.status, "nobody knows" in again.error["message"]) == ("retry", "error", True)
    bank.hides = False
    found = editor.retry(again)
    assert (found.status, found.items("Kontor")[0]["id"]) == ("success", bank.payments[0]["id"])
    assert bank.asked_for("POST", PAYMENTS) == 1


def test_a_lost_booking_is_booked_once_and_n8n_keeps_that_it_is_unknown(editor: Editor, bank: SmallBank) -> None:
    bank.loses = 1
    booking = workflow(editor, bank, "create_cash_book_entry", ENTRY)
    lost = editor.give(booking, {})
    assert (lost.status, "nobody knows" in lost.error["message"]) == ("error", True)
    assert "Look in the ledger or bank" in lost.error["description"]
    assert editor.retry(lost).status == "error"
    assert "unknown" in {one["state"] for one in editor.kept_data(booking)["node:Kontor"]["kontorWrites"].values()}
    other = editor.give(booking, {})
    assert (other.status, "Send Again on Purpose" in other.error["description"]) == ("error", True)
    assert len(bank.entries) == 1


def test_the_refusal_of_the_second_item_names_the_first_and_a_retry_repeats_neither(
    editor: Editor, bank: SmallBank
) -> None:
    bank.refuses = "Petersen"
    paying = workflow(editor, bank, "initiate_payment", PAYMENT)
    refused = editor.give(paying, VOSS, PAPIER)
    assert (refused.status, "not welcome" in refused.error["message"]) == ("error", True)
    assert f"item 1 ({bank.payments[0]['id']}, " in refused.error["description"]
    bank.refuses = None
    again = editor.retry(refused)  # nothing proves that nothing was done
    assert (again.status, "not welcome" in again.error["message"]) == ("error", True)
    assert bank.asked_for("POST", PAYMENTS) == 2
    done = editor.give(paying, PAPIER)
    assert [item["id"] for item in done.items("Kontor")] == [bank.payments[1]["id"]]
    assert [row["creditor_name"] for row in bank.payments] == [VOSS["name"], PAPIER["name"]]
