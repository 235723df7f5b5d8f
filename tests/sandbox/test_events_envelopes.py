from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from connector.sandbox.banking.demo import HOUSE_BANK, MAIN_ACCOUNT
from tests.support.running_sandbox import Receiver, RunningSandbox

BANK = f"/bank-connections/{HOUSE_BANK}"
NAMED = {"connection_id", "provider_name", "provider_code", "country_code"}


def _pay(sandbox: RunningSandbox, **more: Any) -> str:
    body = {
        "account_id": MAIN_ACCOUNT,
        "creditor_name": "Kettenwerk Teile GmbH",
        "creditor_iban": "DE89370400440532013000",
        "amount": 1234.5,
        **more,
    }
    payment_id: str = sandbox.api.post("/v2/banking/payments", json=body).json()["data"]["id"]
    return payment_id


@pytest.mark.conforms("events.post_to_the_url", "events.envelope")
def test_the_envelope_is_json_with_event_data_and_time(sandbox: RunningSandbox, receiver: Receiver) -> None:
    sandbox.order(f"{BANK}/error")
    event = receiver.next()
    assert set(event) == {"event", "data", "received_at"}
    assert datetime.fromisoformat(event["received_at"]).tzinfo is not None
    assert receiver.headers[0]["content-type"] == "application/json"


@pytest.mark.conforms("events.refresh_complete")
def test_a_refresh_announces_the_accounts(sandbox: RunningSandbox, receiver: Receiver) -> None:
    new = sandbox.order(f"{BANK}/refresh", transactions=4, refresh_type="manual")["data"]["transactions"]
    event = receiver.next()
    assert event["event"] == "refresh_complete"
    data = event["data"]
    assert set(data) == NAMED | {"status", "refresh_type", "accounts"}
    assert (data["connection_id"], data["status"], data["refresh_type"]) == (HOUSE_BANK, "active", "manual")
    assert len(data["accounts"]) == 2
    assert set(data["accounts"][0]) == {"id", "name", "holder_name", "nature", "balance", "currency_code", "iban"}
    assert isinstance(data["accounts"][0]["balance"], Decimal)
    listed = sandbox.api.get(f"/v2/banking/transactions?connection_id={HOUSE_BANK}&sort=id").json()["data"]
    assert [row["id"] for row in listed[-4:]] == new


@pytest.mark.conforms("events.connection_error")
def test_an_error_is_announced_and_shown_on_the_bank_connection(sandbox: RunningSandbox, receiver: Receiver) -> None:
    sandbox.order(f"{BANK}/error", error_class="ProviderError", error_message="maintenance")
    event = receiver.next()
    assert event["event"] == "connection_error"
    assert set(event["data"]) == NAMED | {"refresh_type", "error_class", "error_message"}
    bank = sandbox.api.get(f"/v2/banking/connections/{HOUSE_BANK}").json()["data"]
    assert (bank["error_class"], bank["error_message"]) == ("ProviderError", "maintenance")


@pytest.mark.conforms("events.connection_destroyed")
def test_a_destroyed_bank_connection_is_announced(sandbox: RunningSandbox, receiver: Receiver) -> None:
    sandbox.order(f"{BANK}/destroy")
    event = receiver.next()
    assert event["event"] == "connection_destroyed"
    assert set(event["data"]) == NAMED | {"refresh_type"}


@pytest.mark.conforms(
    "payment_status.info_required", "payment_status.authorizing_to_processing", "payment_status.processing_to_settled"
)
def test_a_payment_is_announced_at_each_status(sandbox: RunningSandbox, receiver: Receiver) -> None:
    payment_id = _pay(sandbox)
    for _ in range(5):
        sandbox.order(f"/payments/{payment_id}/step")
    events = [receiver.next() for _ in range(6)]
    assert [(event["event"], event["data"]["status"]) for event in events] == [
        ("payment_update", "initiated"),
        ("payment_progress", "initiated_info_required"),
        ("payment_update", "authorizing"),
        ("payment_update", "processing"),
        ("payment_update", "executed"),
        ("payment_update", "settled"),
    ]
    assert {event["data"]["payment_id"] for event in events} == {payment_id}


@pytest.mark.conforms("events.payment_update")
def test_a_payment_update_carries_the_amount_as_a_text_and_the_callers_ip(
    sandbox: RunningSandbox, receiver: Receiver
) -> None:
    _pay(sandbox)
    data = receiver.next()["data"]
    assert set(data) == {"payment_id", "status", "raw_provider_status", "template_identifier", "payment_attributes"}
    attributes = data["payment_attributes"]
    assert set(attributes) == {
        "amount",
        "currency_code",
        "description",
        "creditor_iban",
        "creditor_name",
        "debtor_iban",
        "end_to_end_id",
        "customer_ip_address",
    }
    assert (attributes["amount"], attributes["customer_ip_address"]) == ("1234.5", "127.0.0.1")


@pytest.mark.conforms("events.payment_update", "events.payment_progress")
def test_custom_fields_come_along_only_if_they_were_set(sandbox: RunningSandbox, receiver: Receiver) -> None:
    payment_id = _pay(sandbox, custom_fields={"k": "v"})
    assert receiver.next()["data"]["custom_fields"] == {"k": "v"}
    sandbox.order(f"/payments/{payment_id}", status="initiated_info_required")
    progress = receiver.next()
    assert progress["event"] == "payment_progress"
    assert progress["data"] == {
        "payment_id": payment_id,
        "status": "initiated_info_required",
        "custom_fields": {"k": "v"},
    }


@pytest.mark.conforms("events.free", "costs.events")
def test_sending_events_costs_nothing(sandbox: RunningSandbox, receiver: Receiver) -> None:
    sandbox.order(f"{BANK}/refresh")
    receiver.next()
    assert sandbox.balance() == 1000


def test_without_a_webhook_url_nothing_is_sent_and_it_shows(sandbox: RunningSandbox) -> None:
    sandbox.order(f"{BANK}/refresh")
    assert [delivery["state"] for delivery in sandbox.deliveries()] == ["no_url"]


def test_a_receiver_that_fails_gets_the_event_again(sandbox: RunningSandbox, receiver: Receiver) -> None:
    sandbox.order("/clock", speed=0)
    receiver.answers = [500, 302]
    sandbox.order(f"{BANK}/refresh")
    first = receiver.next()
    assert sandbox.deliveries()[0]["state"] == "waiting"
    sandbox.order("/clock", advance=2)
    assert receiver.next() == first
    assert sandbox.deliveries()[0]["state"] == "waiting"
    sandbox.order("/clock", advance=10)
    assert receiver.next() == first
    delivery = sandbox.deliveries()[0]
    assert delivery["state"] == "delivered"
    assert [attempt["status"] for attempt in delivery["attempts"]] == [500, 302, 200]


def test_a_receiver_that_keeps_failing_is_given_up_on(sandbox: RunningSandbox, receiver: Receiver) -> None:
    receiver.answers = [500] * 4
    sandbox.order(f"{BANK}/refresh")
    for _ in range(4):
        receiver.next()
        sandbox.deliveries()
        sandbox.order("/clock", advance=60)
    delivery = sandbox.deliveries()[0]
    assert (delivery["state"], len(delivery["attempts"])) == ("failed", 4)


def test_a_failing_event_does_not_hold_up_the_next(sandbox: RunningSandbox, receiver: Receiver) -> None:
    sandbox.order("/clock", speed=0)
    receiver.answers = [500]
    sandbox.order(f"{BANK}/error", error_class="A")
    sandbox.order(f"{BANK}/error", error_class="B")
    assert [receiver.next()["data"]["error_class"] for _ in range(2)] == ["A", "B"]
    sandbox.order("/clock", advance=2)
    assert receiver.next()["data"]["error_class"] == "A"


def test_a_receiver_that_cannot_be_reached_is_noted(sandbox: RunningSandbox, receiver: Receiver) -> None:
    receiver.close()
    sandbox.order(f"{BANK}/refresh")
    [attempt] = sandbox.deliveries()[0]["attempts"]
    assert (attempt["status"], bool(attempt["error"])) == (None, True)


def test_with_auto_payments_and_a_fast_clock_a_payment_settles_by_itself(
    sandbox: RunningSandbox, receiver: Receiver
) -> None:
    sandbox.order("/settings", auto_payments=True)
    sandbox.order("/clock", speed=1000)
    _pay(sandbox)
    statuses = [receiver.next()["data"]["status"] for _ in range(6)]
    assert statuses[-1] == "settled"
