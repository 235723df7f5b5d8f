"""What the service's description says of events and of the states of a payment, as a host's deliveries tell it."""

from __future__ import annotations

import httpx
import pytest

from connector.sandbox.banking.demo import HOUSE_BANK
from tests.conformance.test_described_fields import QUOTATIONS, TYPES, described_fields, found_in
from tests.durable.inbox.hub_host import HubHost

STATES = ("initiated", "authorizing", "authorized", "processing", "executed", "settled", "failed", "rejected")
"""Those that are delivered with `payment_update`."""

VALUES = {"active", "inactive", "automatic", "manual", "InvalidCredentials", "ProviderError", "SEPA", "SEPA_INSTANT"}
"""Words of the quoted rows that are values of fields."""
ONLY_IN_UPDATES = {"raw_provider_status", "payment_attributes"}


async def _settle(hub: HubHost) -> None:
    hub.wait_for_events()
    await hub.decide_all()


@pytest.mark.conforms(
    "events.refresh_complete",
    "events.connection_error",
    "events.connection_destroyed",
    "events.payment_update",
    "events.payment_progress",
    "events.envelope",
    "events.post_to_the_url",
    "events.free",
    "costs.events",
)
async def test_every_described_field_of_an_event_reaches_the_flow_and_costs_nothing(hub: HubHost) -> None:
    triggers = {
        "refresh_complete": "refresh_complete",
        "connection_error": "connection_error",
        "connection_destroyed": "connection_destroyed",
        "payment_update": "payment_update",
        "payment_progress": "payment_needs_confirmation",
    }
    subscribed = {event: hub.subscribe(trigger)[0] for event, trigger in triggers.items()}
    before = hub.sandbox.balance()
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh", transactions=1)
    id = hub.pay()
    for status in ("initiated_info_required", "authorizing"):
        hub.move(id, status)
        await _settle(hub)
    for change in ("error", "destroy"):
        hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/{change}")
        await _settle(hub)
    assert hub.sandbox.balance() == before
    for event, subscription in subscribed.items():
        (item,) = hub.fired(subscription)
        assert TYPES["date-time"](item["received_at"]), "by the envelope"
        described = {field.name for quotation in QUOTATIONS[f"events.{event}"] for field in described_fields(quotation)}
        expected = described - VALUES - {*triggers, "initiated_info_required"}
        if event == "payment_progress":
            assert expected >= ONLY_IN_UPDATES
            expected -= ONLY_IN_UPDATES
            assert not ONLY_IN_UPDATES & set(item)
        assert len(expected) >= 3
        assert [name for name in expected if not [*found_in(item, name)]] == []
    (update,) = hub.fired(subscribed["payment_update"])
    assert isinstance(update["payment_attributes"]["amount"], str)


@pytest.mark.conforms("events.customer_ip_address")
async def test_the_address_of_the_customer_is_passed_on_apart_from_what_the_api_confirms(hub: HubHost) -> None:
    updates, _ = hub.subscribe("payment_update")
    hub.pay()
    await _settle(hub)
    (sent,) = hub.sandbox.deliveries()
    (item,) = hub.fired(updates)
    address = sent["envelope"]["data"]["payment_attributes"]["customer_ip_address"]
    assert item["_unconfirmed"] == {"customer_ip_address": address}
    assert [*found_in(item, "customer_ip_address")] == [address]


@pytest.mark.conforms("events.envelope", "events.unknown_are_no_errors")
async def test_what_is_no_envelope_is_refused_and_an_unknown_event_is_not(hub: HubHost) -> None:
    url = hub.sandbox.api.get("/v2/banking/webhook-url").json()["data"]["webhook_url"]
    anything, _ = hub.subscribe("banking_event", event="card_blocked")
    bodies = (
        '{"event": "card_blocked", "data": {"card": "1"}, "received_at": "2026-11-18T08:00:00Z"}',
        "[]",
        "{}",
        "x",
    )
    async with httpx.AsyncClient(trust_env=False) as sender:
        statuses = [(await sender.post(url, content=body)).status_code for body in bodies]
    assert statuses == [200, 400, 400, 400]
    await _settle(hub)
    (item,) = hub.fired(anything)
    assert (item["card"], item["received_at"], item["_confirmed"]) == ("1", "2026-11-18T08:00:00Z", False)


@pytest.mark.conforms("payment_status.states", "payment_status.settled_is_final", "payment_status.other_transitions")
async def test_each_state_is_told_by_payment_update_and_nothing_follows_a_final_one(hub: HubHost) -> None:
    updates, _ = hub.subscribe("payment_update")
    ends, _ = hub.subscribe("payment_settled")
    for status in STATES:
        id = hub.pay()
        if status != "initiated":
            hub.move(id, status)
        await _settle(hub)
        assert [item["status"] for item in hub.fired(updates) if item["payment_id"] == id][-1] == status
        if status in ("settled", "failed", "rejected"):
            data = {"payment_id": id, "status": "processing"}
            hub.sandbox.order("/events", event="payment_update", data=data, mode="forged")
            await _settle(hub)
            assert [item["status"] for item in hub.fired(updates) if item["payment_id"] == id][-1] == status
    assert len(hub.fired(ends)) == 1


@pytest.mark.conforms(
    "payment_status.info_required",
    "payment_status.after_confirmation",
    "payment_status.authorizing_to_processing",
    "payment_status.processing_to_settled",
)
async def test_a_payment_that_was_confirmed_goes_on_step_by_step_to_settled(hub: HubHost) -> None:
    confirmations, _ = hub.subscribe("payment_needs_confirmation")
    updates, _ = hub.subscribe("payment_update")
    before = hub.sandbox.balance()
    id = hub.pay()
    for status in ("initiated_info_required", "authorizing", "processing", "settled"):
        assert hub.sandbox.balance() == before
        hub.move(id, status)
        await _settle(hub)
    assert [item["status"] for item in hub.fired(confirmations)] == ["initiated_info_required"]
    told = [item["status"] for item in hub.fired(updates)]
    assert told[-3:] == ["authorizing", "processing", "settled"]
    assert "initiated_info_required" not in told
    assert hub.sandbox.balance() == before - 3
