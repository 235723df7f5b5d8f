"""Sends due deliveries: each queue is a piece of work of its own.

A delivery that fails steps aside until its next attempt, and the next one is sent; only those of one subject, where
the trigger declares one, wait for each other. An answer that takes long holds up nothing either: the next delivery
is sent beside it. A target that does not answer at all, or fails several times in a row, lets its queue rest.

Targets that hang have senders of their own. So that those which are not known yet cannot take all the others, the
patience with them ends early when many senders are busy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from datetime import datetime, timedelta
from functools import partial
from typing import NamedTuple

from sqlalchemy import Connection

from connector.core.errors import KontorError
from connector.durable.context import JobContext
from connector.durable.outbox.schedule import next_attempt, rest_after
from connector.durable.outbox.target import Target, end_target, target_of
from connector.durable.sending import signing
from connector.durable.sending.sender import Attempt, no_answer
from connector.durable.work import KeyedWork, hold_lease, notify_overdue, run_due
from connector.store.database import leases
from connector.store.database.leases import Lease
from connector.store.triggers import deliveries, due_work, subscriptions, timeline, trial_inbox
from connector.store.triggers.deliveries import Delivery, Queue

MAX_PER_TURN = 100
"""How many deliveries of a queue are sent before other queues get their turn."""
MAX_OPEN = 4
"""How many attempts of one queue wait for their answer at a time."""
STEP_ASIDE_SECONDS = 1.0
"""After how long without an answer the next delivery is sent beside it."""
CROWDED_PATIENCE = 2.0
"""How long an answer may take while more than half of the senders are busy."""
WITHOUT_TARGET = timedelta(days=1)
"""When a queue is looked at again that waits, though its subscription has ended or is paused."""


class _Open(NamedTuple):
    target: Target
    delivery: Delivery
    began: float


class DeliverWork(KeyedWork):
    """Deliveries; a key is the id of a queue: a subscription's, or a hook's that forwards its events."""

    name = due_work.DELIVERIES
    most = 200
    slow = False
    """Whether it works at the queues whose targets let an attempt wait in vain."""

    def __init__(self, context: JobContext) -> None:
        super().__init__(context)
        self._busy = 0

    async def work(self, key: str) -> int:
        """Send the queue's due deliveries; return how many were accepted. 0 when another host holds the queue."""
        async with hold_lease(self.context, lease_name(key)) as lease:
            if lease is None:
                return 0
            self._busy += 1
            sending: dict[asyncio.Task[Attempt], _Open] = {}
            try:
                return await self._deliver_queue(key, lease, sending)
            finally:
                self._busy -= 1
                await _cancel(sending)

    async def _deliver_queue(self, key: str, lease: Lease, sending: dict[asyncio.Task[Attempt], _Open]) -> int:
        context, clock = self.context, asyncio.get_running_loop().time
        delivered, held = 0, True
        while True:
            if held and len(sending) < MAX_OPEN and (sending or delivered < MAX_PER_TURN):
                ids = [sent.delivery.id for sent in sending.values()]
                target, delivery = await context.read(partial(self._next, key=key, besides=ids))
                if target is not None and delivery is not None:
                    attempt = asyncio.create_task(_attempt(context, target, delivery))
                    sending[attempt] = _Open(target, delivery, clock())
            if not sending:
                return delivered
            answered, _ = await asyncio.wait(sending, timeout=STEP_ASIDE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            results = [(sending.pop(task), task.result()) for task in answered]
            if self._busy > self.most // 2 and not self.slow:
                late = {task: sent for task, sent in sending.items() if clock() - sent.began >= CROWDED_PATIENCE}
                results += [(sending.pop(task), no_answer(CROWDED_PATIENCE)) for task in late]
                await _cancel(late)
            for (target, delivery, _), result in results:
                held = await _record_attempt(context, target, delivery, result, lease) and held
                delivered += result.delivered

    def _next(
        self, connection: Connection, key: str, besides: Collection[int]
    ) -> tuple[Target | None, Delivery | None]:
        """Return the target of a queue and what to send there; nothing while it rests or other senders serve it."""
        now, queue = self.context.now(), deliveries.queue_of(connection, key)
        rests = queue.rests_until is not None and queue.rests_until > now
        tried = queue.rests_until is not None and besides  # one delivery tries whether the target is well again
        if rests or tried or queue.slow != self.slow:
            return None, None
        return target_of(connection, key, now), deliveries.next_due(connection, key, now, besides)

    def next_at(self, connection: Connection, key: str) -> datetime | None:
        """Return when a delivery may next be sent; what other senders serve is handed to them."""
        planned = deliveries.next_time(connection, key)
        if planned is None:
            return None
        now = self.context.now()
        if target_of(connection, key, now) is None:
            return now + WITHOUT_TARGET
        if deliveries.queue_of(connection, key).slow != self.slow:
            other = due_work.DELIVERIES if self.slow else due_work.SLOW_DELIVERIES
            due_work.schedule(connection, other, key, max(planned, now))
            return None
        return planned


class SlowDeliverWork(DeliverWork):
    """Deliveries to targets that let the last attempt wait in vain: few at a time, so that the others have senders."""

    name = due_work.SLOW_DELIVERIES
    most = 50
    slow = True


async def deliver_due(context: JobContext, now: datetime) -> int:
    """Send all that is due or becomes due meanwhile, told or not; return how many were accepted."""
    await context.write(lambda connection: notify_overdue(connection, now, now))
    return await run_due(DeliverWork(context)) + await run_due(SlowDeliverWork(context))


def lease_name(queue_id: str) -> str:
    """Return the name of the lease that allows one host at a time to send a queue."""
    return f"deliver:{queue_id}"


async def _cancel(sending: Collection[asyncio.Task[Attempt]]) -> None:
    for task in sending:
        task.cancel()
    await asyncio.gather(*sending, return_exceptions=True)


async def _attempt(context: JobContext, target: Target, delivery: Delivery) -> Attempt:
    if target.url == trial_inbox.ADDRESS:
        return Attempt(200)  # it arrives in the transaction that records it
    headers = {}
    if target.sealed_secrets:
        message = signing.message_id(target.queue_id, delivery.item_id)
        try:
            secret, *more = [context.vault.open(sealed) for sealed in target.sealed_secrets]
        except KontorError as error:
            return Attempt(None, error.message.en)
        headers = signing.headers(secret, message, delivery.body, context.own_now(), *more)
    return await context.sender().send(target.url, delivery.body.encode(), headers)


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
            deliveries.forget_failures(connection, delivery.subscription_id)
            if delivery.last_error is not None:
                timeline.record(connection, delivery.subscription_id, "delivery.recovered", now)
        elif attempt.gone:
            deliveries.mark_gone(connection, delivery, attempt.status or 0)
            end_target(connection, target, now)
        else:
            later = next_attempt(delivery.attempts + 1, now, attempt.retry_after)
            deliveries.mark_failed(connection, delivery, attempt.status, attempt.error, later)
            before = deliveries.queue_of(connection, target.queue_id)
            rest = rest_after(before.failures + 1, attempt, now)
            queue = Queue(before.failures + 1, before.slow or attempt.hung, rest)
            deliveries.record_queue(connection, target.queue_id, queue)
            what = "delivery.failed" if later else "delivery.given_up"
            failure = {"status": attempt.status, "error": attempt.own_error, "next_at": later}
            timeline.record(connection, delivery.subscription_id, what, now, failure)
        return leases.renew(connection, lease)

    return await context.write(record)


def _put_into_inbox(connection: Connection, delivery: Delivery, now: datetime) -> None:
    subscription = subscriptions.get(connection, delivery.subscription_id)
    if subscription is not None:
        trial_inbox.add(connection, subscription, delivery.body, now)
