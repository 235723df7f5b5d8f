"""Subscriptions: creates, pauses, resumes, redirects and ends them, and says how each fares.

Each change has its entry in the audit log, and one in the timeline that the subscription's page shows.

A request that is repeated makes no second subscription, which would double every delivery: under its key it gets the
first one, and without a key the active one with the same trigger, inputs and target. Unique rows decide, so that of
two requests at once only one creates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from sqlalchemy import Connection

from connector.core import service_facts
from connector.core.callers import CallSource, check_role, current_source
from connector.core.errors import InputError
from connector.core.manifest.model import Trigger
from connector.core.messages import Text, quote, say
from connector.core.writes.marks import digest
from connector.durable.inbox.baseline import ensure_baseline
from connector.durable.outbox.reasons import is_known, reason_text
from connector.durable.poller.schedule import cursor_name, first_poll
from connector.durable.sending.address import check_target
from connector.durable.sending.signing import new_secret
from connector.runtime.poll import START, check_start
from connector.runtime.requests import checks
from connector.store.triggers import cursors, deliveries, hooks, subscriptions, timeline
from connector.store.triggers.cursors import StoredCursor
from connector.store.triggers.deliveries import Delivery
from connector.store.triggers.hooks import Hook
from connector.store.triggers.subscriptions import KeyedRequest, Subscription
from connector.store.trust import audit, credentials
from connector.store.trust.vault import Vault

if TYPE_CHECKING:
    from connector.durable.context import JobContext

UNREACHABLE = ("ConnectError", "gaierror")
"""How the sender begins what it says of an address where nobody listens."""
BROKEN_OFF = ("ReadError", "WriteError", "RemoteProtocolError")
"""How it begins what it says of a connection that ended before the answer."""
State = Literal["active", "failing", "paused", "ended"]


@dataclass(frozen=True, slots=True)
class Health:
    """How a subscription fares."""

    state: State
    reason: Text | None = None
    """Why it fails, also while it is paused."""
    next_try: datetime | None = None
    """When what failed is tried again; None: a person must do something first."""
    waiting: int = 0
    """How many deliveries wait."""
    next_poll: datetime | None = None
    last_poll: datetime | None = None
    delivered_at: datetime | None = None
    failing_since: datetime | None = None
    """When what fails was first due, where that is stored."""
    remedy: Text | None = None
    """What to do, where the error itself says it."""
    reconnect_url: str = ""
    """Where it is mended at the service."""


def failing_subscriptions(
    connection: Connection, triggers: Mapping[str, Trigger], workspace: str
) -> list[tuple[Subscription, Health]]:
    """Return the subscriptions of a workspace that fail or have failed, found without looking at those that are well.

    One whose deliveries were given up before, and that is well again, has no reason.
    """
    queues, polled, called = deliveries.failing_queues(connection, workspace), set[str](), set[str]()
    for credential in credentials.listed(connection, workspace):
        polled |= {cursor.name for cursor in cursors.in_trouble(connection, credential.fingerprint)}
        hook = hooks.of_credential(connection, credential.id)
        if hook is not None and hook.state == "drifted":
            called.add(credential.id)
    if not (queues or polled or called):
        return []
    suspects = (
        subscription
        for subscription in subscriptions.listed(connection, workspace, with_alerts=True)
        if subscription.state == subscriptions.ACTIVE
        and (subscription.id in queues or subscription.cursor_name in polled or subscription.credential_id in called)
    )
    judged = [(subscription, health_of(connection, triggers, subscription)) for subscription in suspects]
    return [
        (subscription, health)
        for subscription, health in judged
        if health.reason is not None or subscription.id in queues
    ]


def health_of(connection: Connection, triggers: Mapping[str, Trigger], subscription: Subscription) -> Health:
    """Return how a subscription fares, from what is stored."""
    trigger = triggers.get(subscription.trigger)
    head = deliveries.next_waiting(connection, subscription.id)
    rests_until = deliveries.queue_of(connection, subscription.id).rests_until
    if head is not None and head.next_at is not None and rests_until is not None and rests_until > head.next_at:
        head = replace(head, next_at=rests_until)
    last = deliveries.latest_finished(connection, subscription.id)
    cursor = cursors.get(connection, subscription.cursor_name) if subscription.cursor_name else None
    is_called = trigger is not None and trigger.needs_webhook_url
    hook = hooks.of_credential(connection, subscription.credential_id) if is_called else None
    waiting = deliveries.count_waiting(connection, subscription.id) if head is not None else 0
    return judge(subscription, head, last, cursor, hook, waiting)


def judge(
    subscription: Subscription,
    head: Delivery | None,
    last: Delivery | None,
    cursor: StoredCursor | None,
    hook: Hook | None,
    waiting: int,
) -> Health:
    """Decide from the oldest waiting delivery, the latest finished one, and the cursor or webhook URL behind it."""
    next_poll, last_poll = (cursor.next_at, cursor.polled_at) if cursor else (None, None)
    delivered_at = last.done_at if last is not None and last.state == "done" else None
    if subscription.state != subscriptions.ACTIVE:
        return Health("ended", delivered_at=delivered_at)
    reason, next_try = _trouble(head, last, cursor, hook)
    stuck = head is not None and head.last_error is not None
    polled = cursor.trouble or {} if cursor is not None and not stuck else {}
    advice, url = polled.get("remedy"), str(polled.get("reconnect_url") or "")
    state: State = "paused" if subscription.paused_at else "failing" if reason else "active"
    if state == "paused":
        next_try = None
    return Health(
        state,
        reason,
        next_try,
        waiting,
        next_poll,
        last_poll,
        delivered_at,
        failing_since=head.made_at if head is not None and stuck else None,
        remedy=Text(str(advice["en"]), str(advice["de"])) if advice else None,
        reconnect_url=url if url.startswith("https://") else "",
    )


def _trouble(
    head: Delivery | None, last: Delivery | None, cursor: StoredCursor | None, hook: Hook | None
) -> tuple[Text | None, datetime | None]:
    if head is not None and head.last_error is not None:
        return delivery_failure(head.last_status, head.last_error), head.next_at
    if cursor is not None and cursor.trouble is not None:
        return trouble_text(cursor.trouble), cursor.next_at
    if hook is not None and hook.state == "drifted":
        return say("failing_webhook_url"), None
    if last is not None and last.state == "dead":
        return say("failing_given_up", why=delivery_failure(last.last_status, last.last_error or "")), None
    return None, None


def delivery_failure(status: int | None, error: str) -> Text:
    """Say why the target did not take a delivery."""
    if status is None and error.startswith(UNREACHABLE):
        return say("failing_unreachable")
    if status is None and error.startswith(BROKEN_OFF):
        return say("failing_broken_off")
    why = reason_text(error)
    if status is None:
        return say("failing_not_delivered", why=why) if is_known(error) else say("failing_no_answer", why=why)
    return say("failing_status_said", status=status, said=why) if error else say("failing_status", status=status)


def trouble_text(trouble: Mapping[str, Any]) -> Text:
    """Return the error of a poll in both languages; one that an older version has stored is in English."""
    text = trouble.get("text")
    if isinstance(text, dict) and {"en", "de"} <= text.keys():
        return Text(str(text["en"]), str(text["de"]))
    return quote(str(trouble.get("message", "")))


BOTH_SIGN = timedelta(days=1)
"""How long the former secret signs beside the new one."""


def check_may_change(connection: Connection, by: CallSource, id: str) -> None:
    """Raise unless whoever asks may change the subscription: where alerts go is an admin's to say."""
    subscription = subscriptions.get(connection, id)
    if subscription is not None:
        check_role(by.actor, "admin" if subscription.carries_alerts else "operator")


def end(connection: Connection, by: CallSource, id: str, why: str, now: datetime) -> bool:
    """End a subscription and drop what waits for it; False when it had already ended."""
    check_may_change(connection, by, id)
    ended = subscriptions.end(connection, id, why, now)
    deliveries.end_waiting(connection, id)
    if ended:
        record(connection, by, "ended", id, now, {"why": why})
    return ended


def pause(connection: Connection, by: CallSource, id: str, now: datetime) -> bool:
    """Let the deliveries wait; False when it has ended or is paused already."""
    check_may_change(connection, by, id)
    paused = subscriptions.pause(connection, id, now)
    if paused:
        record(connection, by, "paused", id, now)
    return paused


def resume(connection: Connection, by: CallSource, id: str, now: datetime) -> bool:
    """Send the deliveries that wait, the oldest at once; False when it is not paused."""
    check_may_change(connection, by, id)
    resumed = subscriptions.resume(connection, id)
    if resumed:
        deliveries.try_now(connection, id, now)
        record(connection, by, "resumed", id, now, {"waiting": deliveries.count_waiting(connection, id)})
    return resumed


def change_target(connection: Connection, by: CallSource, id: str, target_url: str, now: datetime) -> bool:
    """Send to another URL from now on, what waits included; False when it has ended, or an equal one goes there."""
    check_may_change(connection, by, id)
    subscription = subscriptions.get(connection, id)
    if subscription is None:
        return False
    changed = subscriptions.change_target(
        connection, id, target_url, subscription_digest(subscription.trigger, subscription.inputs, target_url)
    )
    if changed:
        deliveries.try_now(connection, id, now)
        host = urlsplit(target_url).hostname  # the rest of a target often holds a secret
        record(connection, by, "target_changed", id, now, {"target_host": host})
    return changed


def try_now(connection: Connection, by: CallSource, id: str, now: datetime) -> bool:
    """Send the oldest delivery that waits at once, with a new series of attempts; False when none waits."""
    check_may_change(connection, by, id)
    tried = deliveries.try_now(connection, id, now)
    if tried:
        record(connection, by, "retried", id, now)
    return tried


def subscription_digest(trigger: str, inputs: Mapping[str, Any], target_url: str) -> str:
    """Return what is equal for subscriptions of which a credential has one."""
    return digest(trigger, {"inputs": inputs, "target_url": target_url})


def replace_secret(
    connection: Connection, vault: Vault, by: CallSource, id: str, now: datetime
) -> dict[str, Any] | None:
    """Replace the secret that signs deliveries, and return the document that shows it this once; for a day both sign.

    None when the subscription has ended.
    """
    check_may_change(connection, by, id)
    secret, until = new_secret(), now + BOTH_SIGN
    if not subscriptions.replace_secret(connection, id, vault.seal(secret), until):
        return None
    record(connection, by, "secret_replaced", id, now)
    return {"ok": True, "id": id, "secret": secret, "former_valid_until": until}


def replay(connection: Connection, by: CallSource, workspace: str | None, delivery_id: int, now: datetime) -> bool:
    """Enqueue a delivery of a workspace again; False when there is none, or it is still waiting."""
    delivery = deliveries.find(connection, workspace, delivery_id)
    if delivery is None:
        return False
    check_may_change(connection, by, delivery.subscription_id)
    if not deliveries.replay(connection, workspace, delivery_id, now):
        return False
    audit.record_by(
        connection,
        by,
        workspace=workspace or _workspace(connection, delivery.subscription_id),
        what="delivery.replayed",
        subject=str(delivery_id),
        details={"subscription": delivery.subscription_id},
        now=now,
    )
    timeline.record(connection, delivery.subscription_id, "delivery.replayed", now, {"by": by.person})
    return True


def record(
    connection: Connection,
    by: CallSource,
    became: str,
    id: str,
    now: datetime,
    details: Mapping[str, Any] | None = None,
) -> None:
    """Tell in the audit log and in the timeline what became of a subscription."""
    home, what = _workspace(connection, id), f"subscription.{became}"
    audit.record_by(connection, by, workspace=home, what=what, subject=id, details=details, now=now)
    timeline.record(connection, id, what, now, {**(details or {}), "by": by.person})


def _workspace(connection: Connection, subscription_id: str) -> str:
    subscription = subscriptions.get(connection, subscription_id)
    return credentials.workspace_of(connection, subscription.credential_id) if subscription is not None else ""


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
        existing = subscriptions.get(connection, before.subscription_id) if before is not None else None
        if existing is None or existing.state != subscriptions.ACTIVE:
            existing = find_equal(connection)
        created = create(connection) if existing is None else None
        if created is not None:
            record_created(connection, created)
        subscription = existing or created or find_equal(connection)
        assert subscription is not None  # neither found nor created: another host has created it at this moment
        keyed = KeyedRequest(asked, subscription.id)
        if key is not None and keyed != before:
            saved = subscriptions.save_keyed(connection, credential_id, key, keyed, before, now)
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
    first = subscriptions.find_keyed(connection, credential_id, key) if key is not None else None
    if first is not None and first.digest != asked:
        raise InputError(say("subscription_key_conflict", key=key), remedy=say("key_conflict_remedy"), field="key")
    return first


def _covers_payments(trigger: Trigger) -> bool:
    return not trigger.events or any(service_facts.about(name) == service_facts.PAYMENT for name in trigger.events)
