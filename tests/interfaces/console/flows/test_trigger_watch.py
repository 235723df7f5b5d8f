"""A trigger that is watched live shows what a subscription would be told: what the API says, and no more."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from connector.core.errors import ServiceDown
from connector.core.messages import say
from connector.durable.inbox import confirmed_data
from connector.interfaces.console.flows.trigger_watch import TriggerWatch
from connector.sandbox.banking.demo import HOUSE_BANK
from tests.durable.inbox.hub_fixtures import hub, hub_host
from tests.durable.inbox.hub_host import HubHost

__all__ = ["hub", "hub_host"]
LINK = "https://attacker.example/login"


class Console:
    """As much of a signed-in browser's context as watching needs, on a hub's jobs."""

    def __init__(self, hub: HubHost) -> None:
        self._hub = hub
        self.state = SimpleNamespace(context=hub.context)
        self.connector = hub.connector

    def check(self, role: str) -> None:
        pass

    async def credential_id(self) -> str:
        return self._hub.credential_id

    async def read(self, query: Any) -> Any:
        return await self._hub.context.read(query)


async def watching(hub: HubHost, trigger: str, **inputs: Any) -> TriggerWatch:
    watch = TriggerWatch(Console(hub), hub.connector.trigger(trigger), inputs)  # type: ignore[arg-type]
    await watch.start()
    return watch


async def seen(hub: HubHost, watch: TriggerWatch) -> list[dict[str, Any]]:
    """The items that are shown once all events are decided, without the mark that only a watch adds."""
    hub.wait_for_events()
    assert await watch.fetch_new() == [], "nothing is decided yet"
    await hub.decide_all()
    found = await watch.fetch_new()
    assert await watch.fetch_new() == [], "each is shown once"
    return [{name: value for name, value in one.item.items() if name != "_event"} for one in found]


async def test_forged_details_beside_a_true_payment_are_not_shown(hub: HubHost) -> None:
    told, _ = hub.subscribe("payment_update")
    watch = await watching(hub, "payment_update")
    hub.sandbox.order("/faults", kind="event_lose", times=None)
    id = hub.pay()
    hub.move(id, "executed")
    hub.sandbox.heal()
    forged = {"amount": "99999.99", "creditor_name": "Mallory"}
    data = {"payment_id": id, "status": "executed", "payment_attributes": forged, "link": LINK}
    hub.sandbox.order("/events", event="payment_update", data=data)
    [item] = await seen(hub, watch)
    assert item == hub.fired(told)[-1]
    assert item["payment_attributes"]["amount"] == "297.50"
    assert LINK not in json.dumps(item, default=str)


@pytest.mark.parametrize("event", ["connection_error", "refresh_complete", "connection_destroyed"])
async def test_forged_details_beside_a_true_bank_connection_are_not_shown(hub: HubHost, event: str) -> None:
    told, _ = hub.subscribe(event)
    watch = await watching(hub, event)
    hub.sandbox.order("/faults", kind="event_lose", times=1)
    if event == "connection_error":
        hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/error", error_class="ProviderError", error_message="Away.")
    elif event == "connection_destroyed":
        hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/destroy")
    else:
        hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh", transactions=1)
    data = {"connection_id": HOUSE_BANK, "error_message": LINK, "provider_name": LINK, "accounts": [{"name": LINK}]}
    hub.sandbox.order("/events", event=event, data=data)
    [item] = await seen(hub, watch)
    assert item == hub.fired(told)[-1]
    assert LINK not in json.dumps(item, default=str)


async def test_an_event_that_the_api_cannot_confirm_is_shown_only_where_it_was_named(hub: HubHost) -> None:
    everything = await watching(hub, "banking_event")
    named = await watching(hub, "banking_event", event="mandate_revoked")
    hub.sandbox.order("/events", event="mandate_revoked", data={"mandate": "M-1"})
    [item] = await seen(hub, named)
    assert (item["mandate"], item["_confirmed"]) == ("M-1", False)
    assert await everything.fetch_new() == []


async def test_what_the_api_cannot_be_asked_for_now_is_shown_later(
    hub: HubHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    watch = await watching(hub, "payment_settled")
    id = hub.pay()
    hub.move(id, "settled")
    hub.wait_for_events()
    await hub.decide_all()
    with monkeypatch.context() as away:
        away.setattr(confirmed_data, "fetch_payments", _down)
        with pytest.raises(ServiceDown):
            await watch.fetch_new()
    assert [one.item["payment_id"] for one in await watch.fetch_new()] == [id]


async def _down(*_: Any) -> None:
    raise ServiceDown(say("nothing_said"))
