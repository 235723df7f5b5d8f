"""Webhook subscriptions and their deliveries: create, list, pause, test, redirect, replay and end."""

from __future__ import annotations

import contextlib
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field
from sqlalchemy import Connection

from connector.core.callers import ROLE_TO_MOVE, Actor, CallSource, check_role, current_source
from connector.core.errors import KontorError, NotFound
from connector.core.messages import say
from connector.core.values import json
from connector.durable import subscriptions as subscription_changes
from connector.durable.context import JobContext
from connector.durable.inbox import registration
from connector.durable.outbox.trial_event import send_test_event
from connector.durable.sending.address import check_target
from connector.durable.subscriptions import Health, SubscriptionRequest, check_request_key, health_of, subscribe
from connector.operations.operation import (
    LEFT_OUT,
    Access,
    Answer,
    Conflict,
    Count,
    Document,
    Free,
    In,
    WebhookKeeper,
    ok,
    operation,
)
from connector.runtime.poll import START, check_start
from connector.runtime.requests import checks
from connector.store.triggers import cursors, deliveries, subscriptions
from connector.store.triggers.cursors import StoredCursor
from connector.store.triggers.deliveries import Delivery as StoredDelivery
from connector.store.triggers.subscriptions import ACTIVE, SECRETS
from connector.store.triggers.subscriptions import Subscription as StoredSubscription
from connector.store.trust import credentials

IdempotencyKey = Annotated[
    str | None,
    In("header", "Idempotency-Key"),
    Field(description="A request repeated with its key gets the subscription of the first."),
]
Takeover = Annotated[bool, Field(description="Replace a foreign webhook URL at the service.")]
Existing = Annotated[bool, Field(description="Whether an equal request had created it before.")]
PassOn = Annotated[bool, Field(description="Pass events on to that URL.")]


class SubscriptionHealth(Answer):
    """How a subscription fares."""

    state: Literal["active", "failing", "paused", "ended"]
    reason: Free | None
    next_try: datetime | None
    waiting: Count


class Subscription(Answer):
    """A webhook subscription, without its secret."""

    id: str
    credential_id: str
    trigger: str
    inputs: Free
    cursor_name: str | None
    target_url: str
    state: Literal["active", "ended"]
    why_ended: str | None
    created_at: datetime
    ended_at: datetime | None
    paused_at: datetime | None
    health: SubscriptionHealth = LEFT_OUT
    cursor: str | None = LEFT_OUT
    polled_at: datetime | None = LEFT_OUT
    next_at: datetime | None = LEFT_OUT
    trouble: Free | None = LEFT_OUT


class Delivery(Answer):
    """One item on its way to one subscriber."""

    id: str
    subscription_id: str
    item_id: str
    body: Any
    state: Literal["waiting", "done", "dead", "ended"]
    attempts: Count
    next_at: datetime | None
    last_status: int | None
    last_error: str | None
    made_at: datetime
    done_at: datetime | None


CREATED = ok("SubscriptionCreated", id=str, secret=str, credential_id=str, existing=Existing)
SECRET_REPLACED = ok("SecretReplaced", id=str, secret=str, former_valid_until=datetime)
TESTED = ok("SubscriptionTested", accepted=bool, status=int | None, error=str)


@operation(
    "POST /v1/subscriptions",
    "operator",
    CREATED,
    status=201,
    location="/v1/subscriptions/{id}",
    no_store=True,
    needs_key=True,
)
async def create_subscription(
    context: JobContext,
    actor: Actor | None,
    access: Access,
    *,
    trigger: str,
    target_url: str,
    inputs: Free | None = None,
    start: str = START,
    name: str | None = None,
    takeover: Takeover = False,
    pass_on: PassOn = False,
    key: IdempotencyKey = None,
) -> Document:
    """Begins a subscription and shows its secret; instead of a second equal one, the first is shown.

    Wrong inputs or keys store nothing.
    """
    if takeover:  # it replaces the webhook URL of somebody else
        check_role(actor, ROLE_TO_MOVE["webhook_url"])
    request = SubscriptionRequest(
        trigger=trigger, inputs=inputs or {}, target_url=target_url, start=start, name=name, key=key
    )
    manifest = context.connector.trigger(trigger)
    checks.check(manifest, context.connector.inputs(manifest).clean(request.inputs))
    check_start(start)
    check_request_key(key)
    check_target(target_url, inbox=True, allow_private=context.allow_private_targets)
    async with access.session(calls_service=True) as session:
        await session.test()  # free; an invalid key fails now instead of at the first poll
        workspace, credential = await session.workspace(), session.credential
    now = context.now()
    credential_id = await context.write(
        lambda connection: credentials.save(connection, context.vault, credential, now, workspace)
    )
    try:
        if manifest.needs_webhook_url:
            await registration.ensure(context, credential_id, takeover, pass_on)
        created, secret, existing = await subscribe(context, credential_id, request, now)
    except BaseException:
        await _revoke_if_unused(context, credential_id)
        raise
    shown = {"id": created.id, "secret": secret, "credential_id": created.credential_id}
    return {"ok": True, **shown, "existing": existing}


async def _revoke_if_unused(context: JobContext, credential_id: str) -> None:
    now = context.now()

    def forget(connection: Connection) -> None:
        if not subscriptions.active(connection, credential_id, with_alerts=True):
            credentials.revoke(connection, credential_id, now)

    await context.write(forget)


@operation("GET /v1/subscriptions", "viewer", ok("SubscriptionList", subscriptions=list[Subscription]))
async def list_subscriptions(context: JobContext, actor: Actor | None, access: Access) -> Document:
    """All subscriptions.

    Those of the workspace, including ended ones.
    """
    workspace = await access.workspace()
    listed = await context.read(lambda connection: subscriptions.listed(connection, workspace))
    return {"ok": True, "subscriptions": [without_secrets(subscription) for subscription in listed]}


@operation("GET /v1/subscriptions/{id}", "viewer", ok("SubscriptionShown", subscription=Subscription))
async def show_subscription(context: JobContext, actor: Actor | None, access: Access, id: str) -> Document:
    """One subscription.

    With its cursor and how it fares.
    """
    _, subscription = await _find(context, access, id)

    def read_state(connection: Connection) -> Document:
        name = subscription.cursor_name
        cursor = cursors.get(connection, name) if name else None
        health = health_of(connection, context.connector.triggers, subscription)
        return {**cursor_state(cursor), "health": _health(health)}

    state = await context.read(read_state)
    return {"ok": True, "subscription": {**without_secrets(subscription), **state}}


@operation("DELETE /v1/subscriptions/{id}", "operator", ok("SubscriptionEnded", id=str, ended=bool))
async def stop_subscription(context: JobContext, actor: Actor | None, access: Access, id: str) -> Document:
    """Ends a subscription."""
    _, subscription = await _changeable(context, access, id)
    return {"ok": True, "id": subscription.id, "ended": await end_subscription(access, subscription, "by caller")}


async def end_subscription(
    keeper: WebhookKeeper, subscription: StoredSubscription, why: str, source: CallSource | None = None
) -> bool:
    """End a subscription; after the last one of its credential, restore the previous webhook URL.

    With the sandbox the webhook stays registered, so that the console shows events without subscriptions.
    """
    context = keeper.context
    now, by = context.now(), source or current_source()

    def finish(connection: Connection) -> tuple[bool, bool]:
        ended = subscription_changes.end(connection, by, subscription.id, why, now)
        return ended, not subscriptions.active(connection, subscription.credential_id)

    ended, last = await context.write(finish)
    if ended and last and not keeper.sandboxed:
        with contextlib.suppress(KontorError):  # the engine retries every ten minutes
            await registration.release(context, subscription.credential_id)
    return ended


@operation("POST /v1/subscriptions/{id}/secret", "operator", SECRET_REPLACED, no_store=True, conflicts=True)
async def replace_secret(context: JobContext, actor: Actor | None, access: Access, id: str) -> Document:
    """Replaces the secret, shown only here; for a day deliveries carry both signatures."""
    _, subscription = await _changeable(context, access, id)
    now, by, change = context.now(), current_source(), subscription_changes.replace_secret
    document = await context.write(lambda connection: change(connection, context.vault, by, subscription.id, now))
    if document is None:
        raise _ended()
    return document


@operation(
    "POST /v1/subscriptions/{id}/pause", "operator", ok("SubscriptionPaused", id=str, paused=bool), conflicts=True
)
async def pause_subscription(context: JobContext, actor: Actor | None, access: Access, id: str) -> Document:
    """Lets its deliveries wait; polls and events go on, so that nothing is lost."""
    subscription = await _running(context, access, id)
    now, by, pause = context.now(), current_source(), subscription_changes.pause
    paused = await context.write(lambda connection: pause(connection, by, subscription.id, now))
    return {"ok": True, "id": subscription.id, "paused": paused}


@operation(
    "POST /v1/subscriptions/{id}/resume", "operator", ok("SubscriptionResumed", id=str, resumed=bool), conflicts=True
)
async def resume_subscription(context: JobContext, actor: Actor | None, access: Access, id: str) -> Document:
    """Sends the deliveries that wait, the oldest at once."""
    subscription = await _running(context, access, id)
    now, by, resume = context.now(), current_source(), subscription_changes.resume
    resumed = await context.write(lambda connection: resume(connection, by, subscription.id, now))
    context.wake()
    return {"ok": True, "id": subscription.id, "resumed": resumed}


@operation("POST /v1/subscriptions/{id}/test", "operator", TESTED, conflicts=True)
async def test_subscription(context: JobContext, actor: Actor | None, access: Access, id: str) -> Document:
    """Sends a test event at once: signed, with `_test` in its body, and never queued as a delivery."""
    attempt = await send_test_event(context, current_source(), await _running(context, access, id))
    return {"ok": True, "accepted": attempt.delivered, "status": attempt.status, "error": attempt.error}


@operation("PUT /v1/subscriptions/{id}/target", "operator", ok("TargetChanged", id=str, changed=bool), conflicts=True)
async def change_target(context: JobContext, actor: Actor | None, access: Access, id: str, target_url: str) -> Document:
    """Sends to another URL from now on, what waits included."""
    subscription = await _running(context, access, id)
    target = check_target(target_url, inbox=True, allow_private=context.allow_private_targets)
    now, by, change = context.now(), current_source(), subscription_changes.change_target
    if not await context.write(lambda connection: change(connection, by, subscription.id, target, now)):
        raise Conflict(say("subscription_target_taken"), remedy=say("subscription_target_taken_remedy"))
    context.wake()
    return {"ok": True, "id": subscription.id, "changed": True}


@operation("GET /v1/subscriptions/{id}/deliveries", "viewer", ok("DeliveryList", deliveries=list[Delivery]))
async def list_deliveries(context: JobContext, actor: Actor | None, access: Access, id: str) -> Document:
    """Its latest deliveries."""
    workspace, subscription = await _find(context, access, id)
    listed = await context.read(lambda connection: list(deliveries.listed(connection, workspace, subscription.id)))
    return {"ok": True, "deliveries": [_delivery(delivery) for delivery in listed]}


@operation(
    "POST /v1/subscriptions/{id}/deliveries/{delivery}/replay",
    "operator",
    ok("DeliveryReplayed", id=str, replayed=bool),
    status=202,
    conflicts=True,
)
async def replay_delivery(context: JobContext, actor: Actor | None, access: Access, id: str, delivery: str) -> Document:
    """Delivers again."""
    workspace, subscription = await _changeable(context, access, id)
    number = int(delivery) if delivery.isascii() and delivery.isdecimal() and len(delivery) <= 18 else 0
    stored = await context.read(lambda connection: deliveries.find(connection, workspace, number))
    if stored is None or stored.subscription_id != subscription.id:
        remedy = say("host_delivery_unknown_remedy", id=subscription.id)
        raise NotFound(say("host_delivery_unknown", id=delivery[:40]), remedy=remedy, outcome="not_sent")
    _check_running(subscription)
    now, by, replay = context.now(), current_source(), subscription_changes.replay
    if not await context.write(lambda connection: replay(connection, by, workspace, number, now)):
        raise Conflict(say("host_delivery_waiting", id=number), remedy=say("host_hook_remedy"))
    context.wake()
    return {"ok": True, "id": str(number), "replayed": True}


async def _find(context: JobContext, access: Access, id: str) -> tuple[str | None, StoredSubscription]:
    workspace = await access.workspace()
    subscription = await context.read(lambda connection: subscriptions.find(connection, workspace, id))
    if subscription is None:
        message, remedy = say("subscription_unknown", id=id[:40]), say("host_subscription_unknown_remedy")
        raise NotFound(message, remedy=remedy, outcome="not_sent")
    return workspace, subscription


async def _changeable(context: JobContext, access: Access, id: str) -> tuple[str | None, StoredSubscription]:
    """Return a subscription that the caller may change."""
    workspace, subscription = await _find(context, access, id)
    by, check = current_source(), subscription_changes.check_may_change
    await context.read(lambda connection: check(connection, by, subscription.id))
    return workspace, subscription


async def _running(context: JobContext, access: Access, id: str) -> StoredSubscription:
    _, subscription = await _changeable(context, access, id)
    _check_running(subscription)
    return subscription


def _check_running(subscription: StoredSubscription) -> None:
    if subscription.state != ACTIVE:
        raise _ended()


def _ended() -> Conflict:
    return Conflict(say("host_subscription_ended"), remedy=say("host_subscription_ended_remedy"))


def without_secrets(subscription: StoredSubscription) -> Document:
    """Return a subscription as JSON, without its encrypted secrets."""
    return {name: value for name, value in asdict(subscription).items() if name not in SECRETS}


def cursor_state(cursor: StoredCursor | None) -> Document:
    """Return the cursor of a poll trigger and its last error."""
    if cursor is None:
        return {}
    return {name: getattr(cursor, name) for name in ("cursor", "polled_at", "next_at", "trouble")}


def _health(health: Health) -> Document:
    reason = health.reason.as_dict() if health.reason else None
    return {"state": health.state, "reason": reason, "next_try": health.next_try, "waiting": health.waiting}


def _delivery(delivery: StoredDelivery) -> Document:
    """Return a delivery with its id as text and its body as JSON."""
    return {**asdict(delivery), "id": str(delivery.id), "body": json.decode(delivery.body)}
