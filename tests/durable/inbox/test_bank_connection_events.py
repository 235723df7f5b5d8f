"""Events about bank connections, events that nobody described, and payments that reconciliation sees."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import httpx
import pytest

from connector.durable.inbox.baseline import ensure_baseline
from connector.durable.inbox.decide import report_payment
from connector.sandbox.banking.demo import HOUSE_BANK, SECOND_ACCOUNT
from connector.store.triggers import cursors
from tests.durable.inbox.hub_host import HubHost


async def settle_events(hub: HubHost) -> None:
    hub.wait_for_events()
    await hub.decide_all()


async def post(url: str, body: str) -> int:
    async with httpx.AsyncClient(trust_env=False) as client:
        return (await client.post(url, content=body)).status_code


@pytest.mark.conforms("events.refresh_complete")
async def test_a_refresh_fires_for_its_bank_connection_and_with_its_exact_balances(hub):
    everything, _ = hub.subscribe("refresh_complete")
    other, _ = hub.subscribe("refresh_complete", connection_id="7100")
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh", transactions=1)
    await settle_events(hub)
    (item,) = hub.fired(everything)
    assert item["connection_id"] == HOUSE_BANK
    shown = {account["id"]: account["balance"] for account in hub.sandbox.look("/state")["banking"]["accounts"]}
    assert all(account["balance"] == shown[account["id"]] for account in item["accounts"])
    assert hub.fired(other) == []


async def test_a_refresh_makes_the_polls_of_its_bank_connection_due(hub, monkeypatch):
    nudged = []
    monkeypatch.setattr(cursors, "nudge", lambda connection, names, now: nudged.append(now))
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh", transactions=1)
    await settle_events(hub)
    assert len(nudged) == 1


async def test_a_refresh_of_a_bank_connection_that_does_not_exist_is_forged(hub):
    everything, _ = hub.subscribe("banking_event")
    hub.sandbox.order("/events", event="refresh_complete", data={"connection_id": "7", "accounts": []})
    hub.sandbox.order("/events", event="connection_error", data={"connection_id": "../payments"})
    await settle_events(hub)
    assert hub.fired(everything) == []
    assert hub.counts()["forged"] == 2


@pytest.mark.conforms("events.connection_error")
async def test_a_failure_of_a_bank_connection_fires(hub):
    failures, _ = hub.subscribe("connection_error")
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/error", error_class="InvalidCredentials")
    await settle_events(hub)
    assert [item["error_class"] for item in hub.fired(failures)] == ["InvalidCredentials"]


@pytest.mark.conforms("bank_connection.goes_with_its_user")
async def test_a_deletion_is_believed_only_once_the_bank_connection_is_gone(hub):
    deleted, _ = hub.subscribe("connection_destroyed")
    hub.sandbox.order("/events", event="connection_destroyed", data={"connection_id": HOUSE_BANK})
    await settle_events(hub)
    assert hub.fired(deleted) == []
    assert hub.counts()["unconfirmed"] == 1
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/destroy")
    await settle_events(hub)
    assert [item["connection_id"] for item in hub.fired(deleted)] == [HOUSE_BANK]


async def test_every_item_says_when_its_event_happened_and_when_it_first_came_in(hub):
    """Whatever is decided later, sent again by the service, or delivered again by us."""
    happened = "2026-05-04T08:00:00+02:00"
    refreshes, _ = hub.subscribe("refresh_complete")
    payments, _ = hub.subscribe("payment_update")
    unknown, _ = hub.subscribe("banking_event", event="card_blocked")
    url = hub.sandbox.api.get("/v2/banking/webhook-url").json()["data"]["webhook_url"]
    id = hub.pay()
    hub.sandbox.order("/faults", kind="event_lose", times=None)
    hub.move(id, "executed")
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh", transactions=1)
    hub.sandbox.heal()
    envelopes = [
        {"event": "refresh_complete", "data": {"connection_id": HOUSE_BANK, "received_at": "1999-01-01T00:00:00Z"}},
        {"event": "payment_update", "data": {"payment_id": id, "status": "executed"}},
        {"event": "card_blocked", "data": {"received_at": "1999-01-01T00:00:00Z"}},
    ]
    for envelope in envelopes:
        envelope["received_at"] = happened
        assert await post(url, json.dumps(envelope)) == 200
    arrived = hub.clock.utcnow()
    hub.clock.advance(3600)
    await hub.decide_all()
    for envelope in envelopes:
        assert await post(url, json.dumps(envelope, indent=2)) == 200
    await hub.decide_all()
    for subscription in (refreshes, payments, unknown):
        item = hub.fired(subscription)[-1]
        if subscription != payments:  # told by the event of its beginning, which was decided when it had gone on
            assert item["received_at"] == happened, "by the service's own clock"
        assert item["_arrived_at"].endswith("Z")
        assert abs(datetime.fromisoformat(item["_arrived_at"]) - arrived) < timedelta(seconds=30), item
    assert len(hub.fired(refreshes)) == len(hub.fired(unknown)) == 1


@pytest.mark.parametrize("status", ["settled", "failed"])
async def test_an_event_that_came_before_the_api_showed_its_state_is_fired_by_its_repeat(hub, status):
    updates, _ = hub.subscribe("payment_update", status=status)
    url = hub.sandbox.api.get("/v2/banking/webhook-url").json()["data"]["webhook_url"]
    id = hub.pay()
    await settle_events(hub)
    early = json.dumps({"event": "payment_update", "data": {"payment_id": id, "status": status}})
    assert await post(url, early) == 200
    await hub.decide_all()
    assert hub.fired(updates) == []
    assert hub.counts()["unconfirmed"] == 1
    hub.sandbox.order("/faults", kind="event_lose", times=None)
    hub.move(id, status)
    assert await post(url, early) == 200
    await hub.decide_all()
    assert [item["status"] for item in hub.fired(updates)] == [status]


async def test_an_event_about_a_payment_that_the_api_does_not_know_yet_is_decided_again(hub):
    updates, _ = hub.subscribe("payment_update")
    url = hub.sandbox.api.get("/v2/banking/webhook-url").json()["data"]["webhook_url"]
    hub.sandbox.order("/faults", kind="event_lose", times=None)
    early = json.dumps({"event": "payment_update", "data": {"payment_id": "70001", "status": "initiated"}})
    assert await post(url, early) == 200
    await hub.decide()
    assert hub.counts() == {"new": 1, "repeated": 0}
    hub.sandbox.order("/payments", first_id=70_001)
    await hub.decide_all()
    assert [item["payment_id"] for item in hub.fired(updates)] == ["70001"]


async def test_the_kind_of_an_error_that_only_the_event_names_passes_a_filter_and_is_marked(hub):
    asked, _ = hub.subscribe("connection_error", error_class="InvalidCredentials")
    other, _ = hub.subscribe("connection_error", error_class="ProviderError")
    everything, _ = hub.subscribe("connection_error")
    hub.sandbox.order("/faults", kind="event_lose", times=None)
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/error", error_class="", error_message="")
    hub.sandbox.heal()
    claimed = {
        "connection_id": HOUSE_BANK,
        "error_class": "InvalidCredentials",
        "error_message": "https://evil.example",
    }
    hub.sandbox.order("/events", event="connection_error", data=claimed)
    await settle_events(hub)
    (item,) = hub.fired(asked)
    assert (item["error_class"], item["_confirmed"]) == ("InvalidCredentials", False)
    assert hub.fired(other) == []
    (plain,) = hub.fired(everything)
    assert "_confirmed" not in plain
    assert "evil" not in json.dumps([item, plain])


@pytest.mark.conforms("events.unknown_are_no_errors")
async def test_an_unknown_event_reaches_only_whoever_has_named_it_and_is_marked(hub):
    anything, _ = hub.subscribe("banking_event")
    named, _ = hub.subscribe("banking_event", event="card_blocked")
    refreshes, _ = hub.subscribe("refresh_complete")
    hub.sandbox.order("/events", event="card_blocked", data={"card": "4711"}, mode="unknown")
    await settle_events(hub)
    (item,) = hub.fired(named)
    assert (item["card"], item["_event"], item["_confirmed"]) == ("4711", "card_blocked", False)
    assert hub.fired(anything) == hub.fired(refreshes) == []
    assert hub.counts()["unknown"] == 1


@pytest.mark.parametrize(
    ("event", "data"),
    [
        ("payment_refunded", {"id": "1"}),
        ("transfer_done", {"payment_id": "1", "status": "settled"}),
        ("transfer_done", {"rows": [{"linked": {"paymentId": "1"}}]}),
    ],
)
async def test_an_unknown_event_that_speaks_of_a_payment_is_kept_and_fires_nothing(hub, event, data):
    anything, _ = hub.subscribe("banking_event")
    hub.sandbox.order("/events", event=event, data=data, mode="unknown")
    await settle_events(hub)
    assert hub.fired(anything) == []
    assert hub.counts()["unknown"] == 1


async def test_an_event_sent_again_in_another_spelling_is_told_once(hub):
    refreshes, _ = hub.subscribe("refresh_complete")
    url = hub.sandbox.api.get("/v2/banking/webhook-url").json()["data"]["webhook_url"]
    envelope = {"event": "refresh_complete", "data": {"connection_id": HOUSE_BANK, "accounts": []}}
    hub.sandbox.order("/faults", kind="event_lose", times=1)
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh", transactions=1)
    for indent in (None, 2):
        assert await post(url, json.dumps(envelope, indent=indent)) == 200
    await hub.decide_all()
    assert len(hub.fired(refreshes)) == 1


async def test_an_event_with_values_that_nobody_can_hold_is_kept_and_never_fired(hub):
    anything, _ = hub.subscribe("banking_event")
    url = hub.sandbox.api.get("/v2/banking/webhook-url").json()["data"]["webhook_url"]
    assert await post(url, '{"event": "x", "data": {"a": 1e999999}}') == 200
    await hub.decide_all()
    assert hub.fired(anything) == []
    assert hub.counts()["forged"] == 1


@pytest.mark.conforms("events.retries")
async def test_webhook_lost(hub):
    """What no event told is found by looking at the payment, under the id that the event would have had."""
    settled, _ = hub.subscribe("payment_settled", custom_field="vorgang")
    id = hub.pay()
    await settle_events(hub)
    hub.sandbox.order("/faults", kind="event_lose", times=1)
    hub.move(id, "settled")
    await settle_events(hub)
    assert hub.fired(settled) == []
    session = await hub.context.session(hub.credential_id)
    payment = (await session.invoke("get_payment", {"id": id})).output
    assert await report_payment(hub.context, hub.credential_id, payment, hub.clock.utcnow())
    assert not await report_payment(hub.context, hub.credential_id, payment, hub.clock.utcnow())
    (item,) = hub.fired(settled)
    assert item["_id"] == f"{id}:settled"
    assert item["payment_attributes"]["amount"] == "297.50"


async def test_an_event_after_reconciliation_has_told_it_fires_nothing_more(hub):
    settled, _ = hub.subscribe("payment_settled")
    id = hub.pay()
    hub.sandbox.order("/faults", kind="event_delay", times=1, seconds=3600)
    hub.move(id, "settled")
    session = await hub.context.session(hub.credential_id)
    payment = (await session.invoke("get_payment", {"id": id})).output
    assert await report_payment(hub.context, hub.credential_id, payment, hub.clock.utcnow())
    hub.sandbox.order("/clock", advance=3601)
    await settle_events(hub)
    assert [item["_id"] for item in hub.fired(settled)] == [f"{id}:settled"]


async def test_history_does_not_fire_when_payments_are_seen_for_the_first_time(hub_host):
    settled, _ = hub_host.subscribe("payment_settled")
    payments = hub_host.sandbox.look("/state")["banking"]["payments"]
    for payment in payments:
        assert not await report_payment(hub_host.context, hub_host.credential_id, payment, hub_host.clock.utcnow())
    assert hub_host.fired(settled) == []
    assert not await ensure_baseline(hub_host.context, hub_host.credential_id, hub_host.clock.utcnow())


async def test_an_event_outside_the_filters_reaches_nobody(hub):
    filtered, _ = hub.subscribe("payment_settled", custom_field="vorgang", custom_value="EK-13")
    refreshes, _ = hub.subscribe("refresh_complete", account_id=SECOND_ACCOUNT + "0")
    hub.move(hub.pay(), "settled")
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh", transactions=1)
    await settle_events(hub)
    assert hub.fired(filtered) == []
    assert hub.fired(refreshes) == []
    assert hub.counts()["fired"] >= 2


async def test_an_ended_subscription_hears_nothing_more(hub):
    from connector.store.triggers import subscriptions

    settled, _ = hub.subscribe("payment_settled")
    hub.write(lambda connection: subscriptions.end(connection, settled, "deleted", hub.clock.utcnow()))
    hub.move(hub.pay(), "settled")
    await settle_events(hub)
    assert hub.fired(settled) == []


async def test_while_another_host_decides_this_one_leaves_the_events_alone(hub):
    from connector.core.timing import BeatObserver
    from connector.store.database import leases

    hub.pay()
    hub.sandbox.deliveries()
    name = f"events:{hub.credential_id}"
    lease = hub.write(lambda connection: leases.acquire(connection, name, "other", BeatObserver(), 0.0))
    assert await hub.decide() == 0
    hub.clock.advance(31)  # the other host is dead
    assert await hub.decide() == 1
    assert lease is not None
