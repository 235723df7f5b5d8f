"""Creates subscriptions: validates the inputs, generates a secret, and creates the cursor of a poll trigger."""

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
from connector.durable.poller.cursor_names import cursor_name
from connector.runtime import checks
from connector.runtime.poll import START, check_start
from connector.store import credentials, cursors, subscriptions
from connector.store.subscriptions import Subscription

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.durable.context import JobContext


@dataclass(frozen=True, slots=True)
class SubscriptionRequest:
    """A request for a webhook subscription."""

    trigger: str
    inputs: Mapping[str, Any]
    target_url: str
    start: str = START
    """Where a poll trigger begins if it was never polled under this name."""
    name: str | None = None
    """The name of a poll trigger's cursor, which keeps its position when the flow is created again; without one, it is
    derived from trigger and inputs."""


async def subscribe(
    context: JobContext, credential_id: str, request: SubscriptionRequest, now: datetime
) -> tuple[Subscription, str]:
    """Create a subscription; return it with its signing secret, which is shown only once."""
    trigger = context.connector.trigger(request.trigger)
    inputs = context.connector.inputs(trigger).clean(request.inputs)
    checks.check(trigger, inputs)
    start = check_start(request.start)
    target = check_target(request.target_url, allow_private=context.allow_private_targets)
    secret = new_secret()
    sealed = context.vault.seal(secret)

    def create(connection: Connection) -> Subscription:
        name = None
        if trigger.source == "poll":
            fingerprint = credentials.fingerprint_of(connection, credential_id)
            name = cursor_name(fingerprint, trigger.id, inputs, request.name)
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

    if trigger.source == "event" and _covers_payments(trigger):
        await ensure_baseline(context, credential_id, now)  # so that later changes fire, even before a reconciliation
    subscription = await context.write(create)
    context.wake()
    return subscription, secret


def _covers_payments(trigger: Trigger) -> bool:
    return not trigger.events or any(service_events.about(name) == service_events.PAYMENT for name in trigger.events)
