"""The job that sends due deliveries: queues concurrently, each queue strictly in order.

Only the oldest waiting delivery of a queue is sent. While it fails, those behind it wait until it is delivered or dead.
A slow subscriber does not block others: while it is waited for, the job starts other queues.
"""

from __future__ import annotations

import asyncio
from datetime import datetime

from sqlalchemy import Connection

from connector.core.errors import KontorError
from connector.durable.context import JobContext
from connector.durable.held_leases import hold_lease
from connector.durable.outbox import signing
from connector.durable.outbox.schedule import next_attempt
from connector.durable.outbox.sender import Attempt, Sender
from connector.durable.outbox.target import Target, due_queues, end_target, target_of
from connector.store import deliveries, leases
from connector.store.deliveries import Delivery
from connector.store.leases import Lease

MAX_CONCURRENT = 200
MAX_PER_TURN = 100
"""How many deliveries of a queue are sent before other queues get their turn."""
CHECK_SECONDS = 0.2
"""How often due queues are looked up while slow subscribers are waited for."""


async def deliver_due(context: JobContext, now: datetime) -> int:
    """Send all deliveries that are due or become due meanwhile; return how many were accepted."""
    queue_ids = await context.read(lambda connection: due_queues(connection, now))
    if not queue_ids:
        return 0
    async with Sender(allow_private=context.allow_private_targets) as sender:
        return await _deliver_all(context, sender, list(queue_ids))


async def _deliver_all(context: JobContext, sender: Sender, queue_ids: list[str]) -> int:
    running: dict[asyncio.Task[int | None], str] = {}
    delivered = 0
    held_elsewhere: set[str] = set()
    try:
        while True:
            busy = {*running.values(), *held_elsewhere}
            for queue_id in [id for id in queue_ids if id not in busy][: MAX_CONCURRENT - len(running)]:
                running[asyncio.create_task(_deliver_queue(context, sender, queue_id))] = queue_id
            if not running:
                return delivered
            done, _ = await asyncio.wait(running, timeout=CHECK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                queue_id, count = running.pop(task), task.result()
                delivered += count or 0
                if count is None:
                    held_elsewhere.add(queue_id)
            queue_ids = list(await context.read(lambda connection: due_queues(connection, context.now())))
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _deliver_queue(context: JobContext, sender: Sender, queue_id: str) -> int | None:
    """Send a queue's deliveries one by one until one fails; None when another host holds the queue."""
    async with hold_lease(context, lease_name(queue_id)) as lease:
        if lease is None:
            return None
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
            deliveries.mark_delivered(connection, delivery, attempt.status or 0, now)
        elif attempt.gone:
            deliveries.mark_gone(connection, delivery, attempt.status or 0)
            end_target(connection, target, now)
        else:
            later = next_attempt(delivery.attempts + 1, now, attempt.retry_after)
            deliveries.mark_failed(connection, delivery, attempt.status, attempt.error, later)
        return leases.renew(connection, lease)

    return await context.write(record)
