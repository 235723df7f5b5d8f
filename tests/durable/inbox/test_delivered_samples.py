"""The sample of a trigger of events has the fields that are really delivered, and no other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from connector.sandbox.banking.demo import HOUSE_BANK
from tests.durable.inbox.hub_host import HubHost

Happening = Callable[[HubHost], None]


def refreshed(hub: HubHost) -> None:
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/refresh", transactions=1)


def failed(hub: HubHost) -> None:
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/error", error_class="ProviderError", error_message="Bank away.")


def destroyed(hub: HubHost) -> None:
    hub.sandbox.order(f"/bank-connections/{HOUSE_BANK}/destroy")


def payment_became(status: str) -> Happening:
    return lambda hub: hub.move(hub.pay(), status)


HAPPENINGS: dict[str, Happening] = {
    "banking_event": refreshed,
    "refresh_complete": refreshed,
    "connection_error": failed,
    "connection_destroyed": destroyed,
    "payment_update": payment_became("executed"),
    "payment_needs_confirmation": payment_became("initiated_info_required"),
    "payment_settled": payment_became("settled"),
    "payment_failed": payment_became("failed"),
}


def fields(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, list):
        for member in value:
            yield from fields(member, f"{path}[]")
    elif isinstance(value, dict) and path != "custom_fields":  # whatever its payer has set
        for name, member in value.items():
            yield from fields(member, f"{path}.{name}" if path else name)
    else:
        yield path


async def test_every_event_of_the_service_is_tried(hub: HubHost) -> None:
    own = {"approval_requested", "run_finished"}
    assert {trigger.id for trigger in hub.connector.triggers.values() if trigger.source == "event"} - own == set(
        HAPPENINGS
    )


@pytest.mark.parametrize("trigger", HAPPENINGS)
async def test_a_sample_has_the_fields_of_a_delivery(hub: HubHost, trigger: str) -> None:
    subscription, _ = hub.subscribe(trigger)
    HAPPENINGS[trigger](hub)
    hub.wait_for_events()
    await hub.decide_all()
    item = hub.fired(subscription)[-1]
    [sample, *_] = hub.connector.trigger(trigger).sample
    assert set(fields(sample)) == set(fields(item))
