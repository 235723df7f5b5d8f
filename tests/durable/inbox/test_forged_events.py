"""Whoever knows the token of the webhook URL can send anything: nothing of it is passed on as a fact."""

from __future__ import annotations

import json

import pytest

from connector.durable.inbox.confirm_limits import MAX_WASTED
from connector.sandbox.banking.demo import HOUSE_BANK
from tests.durable.inbox.hub_host import HubHost

LINK = "https://attacker.example/login"


def forge(hub: HubHost, event: str, **data: object) -> None:
    hub.sandbox.order("/events", event=event, data=data)


async def settle_events(hub: HubHost) -> None:
    hub.wait_for_events()
    await hub.decide_all()


def all_fired(hub: HubHost, *subscriptions: str) -> str:
    return json.dumps([hub.fired(subscription) for subscription in subscriptions], default=str)


async def test_a_forged_error_with_a_link_is_not_passed_on(hub):
    failures, _ = hub.subscribe("connection_error")
    everything, _ = hub.subscribe("banking_event")
    forge(
        hub,
        "connection_error",
        connection_id=HOUSE_BANK,
        error_class="InvalidCredentials",
        error_message=f"Sign in again: {LINK}",
        provider_name=LINK,
    )
    await settle_events(hub)
    assert hub.fired(failures) == hub.fired(everything) == []
    assert hub.counts()["unconfirmed"] == 1


async def test_beside_a_true_error_a_forged_event_tells_only_what_the_api_shows(hub):
    failures, _ = hub.subscribe("connection_error")
    hub.sandbox.order("/faults", kind="event_lose", times=1)
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/error", error_class="ProviderError", error_message="Bank away.")
    forge(
        hub,
        "connection_error",
        connection_id=HOUSE_BANK,
        error_class="X",
        error_message=LINK,
        refresh_type=LINK,
        reconnect_url=LINK,
    )
    await settle_events(hub)
    (item,) = hub.fired(failures)
    assert (item["error_class"], item["error_message"]) == ("ProviderError", "Bank away.")
    assert LINK not in all_fired(hub, failures)
    assert "refresh_type" not in item


def refresh_untold(hub):
    """A refresh whose own event is lost."""
    hub.sandbox.order("/faults", kind="event_lose", times=1)
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh", transactions=1)


async def test_forged_events_about_bank_connections_that_have_nothing_new_fire_nothing(hub):
    everything, _ = hub.subscribe("banking_event")
    for number in range(3):
        forge(hub, "refresh_complete", connection_id=HOUSE_BANK, status="active", accounts=[], number=number)
    await settle_events(hub)
    assert hub.fired(everything) == []
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh", transactions=1)
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/error", error_class="ProviderError", error_message="Bank away.")
    await settle_events(hub)
    events = [item["_event"] for item in hub.fired(everything)]
    for event in ("refresh_complete", "connection_error"):
        forge(hub, event, connection_id=HOUSE_BANK, again=True)
    await settle_events(hub)
    assert [item["_event"] for item in hub.fired(everything)] == events == ["refresh_complete", "connection_error"]
    assert hub.counts()["stale"] == 5


async def test_a_refresh_that_shows_after_its_event_is_told_then(hub):
    refreshes, _ = hub.subscribe("refresh_complete")
    forge(hub, "refresh_complete", connection_id=HOUSE_BANK, status="active", accounts=[])
    hub.wait_for_events()
    await hub.decide()
    assert hub.fired(refreshes) == []
    refresh_untold(hub)
    await settle_events(hub)
    assert len(hub.fired(refreshes)) == 1


async def test_forged_balances_are_not_passed_on(hub):
    refreshes, _ = hub.subscribe("refresh_complete")
    accounts = [{"id": "8101", "name": LINK, "balance": 9_999_999.99, "iban": "DE00"}, {"id": "1", "balance": 1}]
    refresh_untold(hub)
    forge(hub, "refresh_complete", connection_id=HOUSE_BANK, status="inactive", accounts=accounts, note=LINK)
    await settle_events(hub)
    (item,) = hub.fired(refreshes)
    state = hub.sandbox.look("/state")["banking"]["accounts"]
    shown = {account["id"]: account["balance"] for account in state if account["connection_id"] == HOUSE_BANK}
    assert {account["id"]: account["balance"] for account in item["accounts"]} == shown
    assert item["status"] == "active"
    assert LINK not in all_fired(hub, refreshes)


async def test_the_end_of_a_bank_connection_that_never_existed_is_not_told(hub):
    deleted, _ = hub.subscribe("connection_destroyed")
    everything, _ = hub.subscribe("banking_event")
    forge(hub, "connection_destroyed", connection_id="4711", provider_name="Sparkasse")
    await settle_events(hub)
    assert hub.fired(deleted) == hub.fired(everything) == []
    assert hub.counts()["forged"] == 1


async def test_the_end_of_a_bank_connection_is_told_with_what_the_api_showed_of_it(hub):
    deleted, _ = hub.subscribe("connection_destroyed")
    hub.sandbox.order("/faults", kind="event_lose", times=1)
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/destroy")
    forge(hub, "connection_destroyed", connection_id=HOUSE_BANK, provider_name=LINK, refresh_type="manual")
    await settle_events(hub)
    (item,) = hub.fired(deleted)
    assert (item["connection_id"], item["refresh_type"]) == (HOUSE_BANK, "manual")
    assert item["provider_name"]
    assert LINK not in all_fired(hub, deleted)


async def test_a_forged_amount_and_iban_beside_a_true_payment_are_not_passed_on(hub):
    updates, _ = hub.subscribe("payment_update")
    hub.sandbox.order("/faults", kind="event_lose", times=None)
    id = hub.pay()
    hub.move(id, "executed")
    hub.sandbox.heal()
    attributes = {"amount": "99999.99", "creditor_iban": "DE00", "creditor_name": "Mallory", "note": LINK}
    forge(hub, "payment_update", payment_id=id, status="executed", payment_attributes=attributes, link=LINK)
    await settle_events(hub)
    item = hub.fired(updates)[-1]
    assert item["payment_attributes"]["amount"] == "297.50"
    assert item["payment_attributes"]["creditor_iban"] == "DE02120300000000202051"
    assert "99999.99" not in all_fired(hub, updates)
    assert LINK not in all_fired(hub, updates)


@pytest.mark.long
async def test_831_forged_events_do_not_use_up_the_rate_window(hub):
    """The finding: 831 forged events used up 176 of the key's 200 requests."""
    hub.sandbox.order("/limits", limit=200)
    before = len(hub.sandbox.requests())
    for number in range(831):
        if number % 3 == 0:
            forge(hub, "payment_update", payment_id=str(10**15 + number), status="settled")
        elif number % 3 == 1:
            forge(hub, "connection_error", connection_id=str(10**6 + number), error_message=LINK)
        else:
            forge(hub, "refresh_complete", connection_id=HOUSE_BANK, accounts=[], number=number)
        if number % 40 == 0:
            hub.wait_for_events()
            await hub.decide()
    hub.wait_for_events()
    for _ in range(30):
        await hub.decide()
    asked = [request for request in hub.sandbox.requests()[before:] if request["path"].startswith("/v2/")]
    assert len(asked) <= 2 * MAX_WASTED


@pytest.mark.long
async def test_a_true_event_is_told_after_a_flood_of_forged_ones(hub):
    settled, _ = hub.subscribe("payment_settled")
    for number in range(200):
        forge(hub, "payment_update", payment_id=str(10**15 + number), status="settled")
    hub.wait_for_events()
    for _ in range(10):
        await hub.decide()
    id = hub.pay()
    hub.move(id, "settled")
    await settle_events(hub)
    assert [item["_id"] for item in hub.fired(settled)] == [f"{id}:settled"]
