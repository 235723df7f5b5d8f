"""Sends due deliveries: queues concurrently, each queue strictly in order.

Only the oldest waiting delivery of a queue is sent. While it fails, those behind it wait until it is delivered or dead.
A slow subscriber does not block others: each queue is a piece of work of its own.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection

from connector.core.errors import KontorError
from connector.durable.context import JobContext
from connector.durable.held_leases import hold_lease
from connector.durable.outbox.schedule import next_attempt
from connector.durable.outbox.target import Target, end_target, target_of
from connector.durable.overdue import tell_overdue
from connector.durable.sending import signing
from connector.durable.sending.sender import Attempt, Sender
from connector.durable.work import KeyedWork, run_due
from connector.store import deliveries, due_work, leases, subscriptions, timeline, trial_inbox
from connector.store.deliveries import Delivery
from connector.store.leases import Lease

MAX_PER_TURN = 100
"""How many deliveries of a queue are sent before other queues get their turn."""
WITHOUT_TARGET = timedelta(days=1)
"""When a queue is looked at again that waits, though its subscription has ended or is paused."""


class DeliverWork(KeyedWork):
    """Deliveries; a key is the id of a queue: a subscription's, or a hook's that forwards its events."""

    name = due_work.DELIVERIES
    most = 200

    async def work(self, key: str) -> int:
        """Send the queue's due deliveries; return how many were accepted."""
        return await _deliver_queue(self.context, self.context.sender(), key)

    def next_at(self, connection: Connection, key: str) -> datetime | None:
        """Return when the oldest waiting delivery is due."""
        head = deliveries.next_waiting(connection, key)
        if head is None:
            return None
        now = self.context.now()
        return head.next_at if target_of(connection, key, now) is not None else now + WITHOUT_TARGET


async def deliver_due(context: JobContext, now: datetime) -> int:
    """Send all that is due or becomes due meanwhile, told or not; return how many were accepted."""
    await context.write(lambda connection: tell_overdue(connection, now, now))
    return await run_due(DeliverWork(context))


async def _deliver_queue(context: JobContext, sender: Sender, queue_id: str) -> int:
    """Send a queue's deliveries one by one until one fails; 0 when another host holds the queue."""
    async with hold_lease(context, lease_name(queue_id)) as lease:
        if lease is None:
            return 0
        delivered, held = 0, True
        while held and delivered < MAX_PER_TURN:
            target, delivery = await context.read(lambda connection: _next(connection, queue_id, context.now()))
            if target is None or delivery is None or not delivery.next_at or delivery.next_at > context.now():
                break
            attempt = await _attempt(context, sender, target, delivery)
            held = await _record_attempt(context, target, delivery, attempt, lease)
            if not attempt.delivered:
                break
            delivered += 1
        return delivered


def lease_name(queue_id: str) -> str:
    """Return the name of the lease that allows one host at a time to send a queue."""
    return f"deliver:{queue_id}"


def _next(connection: Connection, queue_id: str, now: datetime) -> tuple[Target | None, Delivery | None]:
    return target_of(connection, queue_id, now), deliveries.next_waiting(connection, queue_id)


async def _attempt(context: JobContext, sender: Sender, target: Target, delivery: Delivery) -> Attempt:
    if target.url == trial_inbox.ADDRESS:
        return Attempt(200)  # it arrives in the transaction that records it
    headers = {}
    if target.sealed_secrets:
        message = signing.message_id(target.queue_id, delivery.item_id)
        try:
            secret, *more = [context.vault.open(one) for one in target.sealed_secrets]
        except KontorError as error:
            return Attempt(None, error.message.en)
        headers = signing.headers(secret, message, delivery.body, context.own_now(), *more)
    return await sender.send(target.url, delivery.body.encode(), headers)


async def _record_attempt(
    context: JobContext, target: Target, delivery: Delivery, attempt: Attempt, lease: Lease
) -> bool:
    """Record the result of an attempt and renew the lease, in one transaction; False when the lease is lost."""
    now = context.now()

    def record(connection: Connection) -> bool:
        if attempt.delivered:
            if target.url == trial_inbox.ADDRESS:
                _put_into_inbox(connection, delivery, now)
            deliveries.mark_delivered(connection, delivery, attempt.status or 0, now)
            if delivery.last_error is not None:
                timeline.record(connection, delivery.subscription_id, "delivery.recovered", now)
        elif attempt.gone:
            deliveries.mark_gone(connection, delivery, attempt.status or 0)
            end_target(connection, target, now)
        else:
            later = next_attempt(delivery.attempts + 1, now, attempt.retry_after)
            deliveries.mark_failed(connection, delivery, attempt.status, attempt.error, later)
            what = "delivery.failed" if later else "delivery.given_up"
            failure = {"status": attempt.status, "error": attempt.own_error, "next_at": later}
            timeline.record(connection, delivery.subscription_id, what, now, failure)
        return leases.renew(connection, lease)

    return await context.write(record)


def _put_into_inbox(connection: Connection, delivery: Delivery, now: datetime) -> None:
    subscription = subscriptions.get(connection, delivery.subscription_id)
    if subscription is not None:
        trial_inbox.add(connection, subscription, delivery.body, now)
