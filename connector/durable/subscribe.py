"""Creates subscriptions: validates the inputs, generates a secret, and creates the cursor of a poll trigger.

A request that is repeated makes no second subscription, which would double every delivery: under its key it gets the
first one, and without a key the active one with the same trigger, inputs and target. Unique rows decide, so that of
two requests at once only one creates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from connector.core import service_events
from connector.core.call_source import current_source
from connector.core.digest import digest
from connector.core.errors import InputError
from connector.core.manifest.model import Trigger
from connector.core.messages import say
from connector.durable.inbox.baseline import ensure_baseline
from connector.durable.poller.cursor_names import cursor_name
from connector.durable.poller.schedule import first_poll
from connector.durable.sending.address import check_target
from connector.durable.sending.signing import new_secret
from connector.durable.subscription_changes import subscription_digest
from connector.runtime import checks
from connector.runtime.poll import START, check_start
from connector.store import audit, credentials, cursors, subscription_keys, subscriptions, timeline
from connector.store.subscription_keys import KeyedRequest
from connector.store.subscriptions import Subscription

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.durable.context import JobContext

MAX_KEY_CHARACTERS = 200


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
    key: str | None = None
    """Identifies the request: repeated under the same key, it gets the same subscription."""


class Subscribed(NamedTuple):
    """A subscription with its signing secret."""

    subscription: Subscription
    secret: str
    existing: bool
    """Whether it was there before this request."""


async def subscribe(context: JobContext, credential_id: str, request: SubscriptionRequest, now: datetime) -> Subscribed:
    """Create a subscription, or return the one that an equal request has created."""
    trigger = context.connector.trigger(request.trigger)
    inputs = context.connector.inputs(trigger).clean(request.inputs)
    checks.check(trigger, inputs)
    start = check_start(request.start)
    target = check_target(request.target_url, inbox=True, allow_private=context.allow_private_targets)
    key = check_request_key(request.key)
    asked = digest(trigger.id, {"inputs": inputs, "target_url": target, "start": start, "name": request.name})
    secret = new_secret()
    sealed, by = context.vault.seal(secret), current_source()

    def get_or_create(connection: Connection) -> tuple[Subscription, bool]:
        before = _first_request(connection, credential_id, key, asked)
        found = subscriptions.get(connection, before.subscription_id) if before is not None else None
        if found is None or found.state != subscriptions.ACTIVE:
            found = find_equal(connection)
        created = create(connection) if found is None else None
        if created is not None:
            record_created(connection, created)
        subscription = found or created or find_equal(connection)
        assert subscription is not None  # neither found nor created: another host has created it at this moment
        keyed = KeyedRequest(asked, subscription.id)
        if key is not None and keyed != before:
            saved = subscription_keys.save(connection, credential_id, key, keyed, before, now)
            if not saved:  # another host has just used the key: for the same request, or this one is undone
                _first_request(connection, credential_id, key, asked)
        return subscription, created is None

    def find_equal(connection: Connection) -> Subscription | None:
        return subscriptions.find_equal(connection, credential_id, trigger.id, inputs, target)

    def create(connection: Connection) -> Subscription | None:
        name = None
        if trigger.source == "poll":
            fingerprint = credentials.fingerprint_of(connection, credential_id)
            name = cursor_name(fingerprint, trigger.id, inputs, request.name)
            due = first_poll(trigger, inputs, cursors.get(connection, name), now)
            cursors.get_or_create(
                connection, name, credential=fingerprint, trigger=trigger.id, inputs=inputs, start=start, next_at=due
            )
        return subscriptions.create_once(
            connection,
            digest=subscription_digest(trigger.id, inputs, target),
            credential_id=credential_id,
            trigger=trigger.id,
            inputs=inputs,
            target_url=target,
            sealed_secret=sealed,
            now=now,
            cursor_name=name,
        )

    def record_created(connection: Connection, created: Subscription) -> None:
        home, host = credentials.workspace_of(connection, credential_id), urlsplit(target).hostname
        details = {"trigger": trigger.id, "target_host": host}  # the rest of a target often holds a secret
        audit.record_by(
            connection, by, workspace=home, what="subscription.created", subject=created.id, details=details, now=now
        )
        timeline.record(connection, created.id, "subscription.created", now, {"by": by.person})

    if trigger.source == "event" and _covers_payments(trigger):
        await ensure_baseline(context, credential_id, now)  # so that later changes fire, even before a reconciliation
    subscription, existing = await context.write(get_or_create)
    context.wake()
    return Subscribed(subscription, context.vault.open(subscription.sealed_secret) if existing else secret, existing)


def check_request_key(key: str | None) -> str | None:
    """Return the key of a request; raise when it cannot be stored."""
    if key is not None and (not 0 < len(key.strip()) <= len(key) <= MAX_KEY_CHARACTERS or not key.isprintable()):
        raise InputError(say("key_invalid", most=MAX_KEY_CHARACTERS), field="key")
    return key


def _first_request(connection: Connection, credential_id: str, key: str | None, asked: str) -> KeyedRequest | None:
    """Return the first request under the key; raise when it asked for another subscription."""
    first = subscription_keys.find(connection, credential_id, key) if key is not None else None
    if first is not None and first.digest != asked:
        raise InputError(say("subscription_key_conflict", key=key), remedy=say("key_conflict_remedy"), field="key")
    return first


def _covers_payments(trigger: Trigger) -> bool:
    return not trigger.events or any(service_events.about(name) == service_events.PAYMENT for name in trigger.events)
