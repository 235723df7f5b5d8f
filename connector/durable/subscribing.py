"""Begins and ends subscriptions: inputs checked, a secret made, and for poll triggers the cursor found or begun."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from connector.core import service_events
from connector.core.manifest.model import Trigger
from connector.durable.inbox.baseline import ensure_baseline
from connector.durable.outbox.address import check_target
from connector.durable.outbox.signing import new_secret
from connector.durable.poller.naming import cursor_name
from connector.runtime import checks
from connector.runtime.poll import START, check_start
from connector.store import credentials, cursors, subscriptions
from connector.store.subscriptions import Subscription

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.durable.context import JobContext


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody wants to be told, and where."""

    trigger: str
    inputs: Mapping[str, Any]
    target_url: str
    start: str = START
    """Where a poll trigger begins that was never polled under this name."""
    name: str | None = None
    """Keeps a poll trigger's place when the flow is created again; without one, trigger and inputs do."""


async def subscribe(context: JobContext, credential_id: str, wish: Wish, now: datetime) -> tuple[Subscription, str]:
    """Enters a subscription; returns it with its signing secret, which is shown this once."""
    trigger = context.connector.trigger(wish.trigger)
    inputs = context.connector.inputs(trigger).clean(wish.inputs)
    checks.check(trigger, inputs)
    start = check_start(wish.start)
    target = check_target(wish.target_url, allow_private=context.allow_private_targets)
    secret = new_secret()
    sealed = context.vault.seal(secret)

    def enter(connection: Connection) -> Subscription:
        name = None
        if trigger.source == "poll":
            fingerprint = credentials.fingerprint_of(connection, credential_id)
            name = cursor_name(fingerprint, trigger.id, inputs, wish.name)
            cursors.get_or_create(
                connection, name, credential=fingerprint, trigger=trigger.id, inputs=inputs, start=start, next_at=now
            )
        return subscriptions.create(
            connection,
            credential_id=credential_id,
            trigger=trigger.id,
            inputs=inputs,
            target_url=target,
            sealed_secret=sealed,
            now=now,
            cursor_name=name,
        )

    if trigger.source == "event" and _hears_of_payments(trigger):
        await ensure_baseline(context, credential_id, now)  # what happens from here on is news, even before any sweep
    subscription = await context.write(enter)
    context.wake()
    return subscription, secret


def _hears_of_payments(trigger: Trigger) -> bool:
    return not trigger.events or any(service_events.about(name) == service_events.PAYMENT for name in trigger.events)
