"""The job that delivers what is due: subscriptions side by side, each of them strictly in order.

Only the oldest waiting delivery of a subscription is sent. While it fails, what is behind it waits, until it is taken
or dead. A subscription that is slow holds up nobody else: while it is waited for, the job goes on finding others.
"""

from __future__ import annotations

import asyncio
from datetime import datetime

from sqlalchemy import Connection

from connector.core.errors import KontorError
from connector.durable.context import JobContext
from connector.durable.outbox import signing
from connector.durable.outbox.schedule import next_attempt
from connector.durable.outbox.sender import TIMEOUT, Attempt, Sender
from connector.durable.outbox.target import Target, due_lines, end, target_of
from connector.store import deliveries, leases
from connector.store.deliveries import Delivery
from connector.store.leases import Lease

AT_ONCE = 200
IN_A_ROW = 100
"""How many deliveries a line gets before it stands in the queue of lines again."""
LEASE_SECONDS = TIMEOUT + 5
"""Longer than any attempt; it is renewed after each."""
LOOK_SECONDS = 0.2
"""How often new work is looked for while slow subscribers are waited for."""


async def deliver_due(context: JobContext, now: datetime) -> int:
    """Delivers everything that is due, and what becomes due meanwhile; returns how many deliveries were taken."""
    lines = await context.read(lambda connection: due_lines(connection, now))
    if not lines:
        return 0
    async with Sender(allow_private=context.allow_private_targets) as sender:
        return await _deliver(context, sender, list(lines))


async def _deliver(context: JobContext, sender: Sender, lines: list[str]) -> int:
    running: dict[asyncio.Task[int | None], str] = {}
    taken = 0
    held_elsewhere: set[str] = set()
    try:
        while True:
            busy = {*running.values(), *held_elsewhere}
            for line in [line for line in lines if line not in busy][: AT_ONCE - len(running)]:
                running[asyncio.create_task(_drain(context, sender, line))] = line
            if not running:
                return taken
            done, _ = await asyncio.wait(running, timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                line, count = running.pop(task), task.result()
                taken += count or 0
                if count is None:
                    held_elsewhere.add(line)
            lines = list(await context.read(lambda connection: due_lines(connection, context.now())))
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _drain(context: JobContext, sender: Sender, line: str) -> int | None:
    """Sends a line's deliveries one after the other until one fails; None when another host is at it."""
    lease: Lease | None = await context.write(
        lambda connection: leases.acquire(connection, f"deliver:{line}", context.owner, LEASE_SECONDS, context.now())
    )
    if lease is None:
        return None
    taken = 0
    try:
        while lease is not None and taken < IN_A_ROW:
            target, delivery = await context.read(lambda connection: _next(connection, line))
            if target is None or delivery is None or not delivery.next_at or delivery.next_at > context.now():
                break
            attempt = await _attempt(context, sender, target, delivery)
            lease = await _settle(context, target, delivery, attempt, lease)
            if not attempt.taken:
                break
            taken += 1
    finally:
        if lease is not None:
            held = lease
            await context.write(lambda connection: leases.release(connection, held, context.now()))
    return taken


def _next(connection: Connection, line: str) -> tuple[Target | None, Delivery | None]:
    return target_of(connection, line), deliveries.next_waiting(connection, line)


async def _attempt(context: JobContext, sender: Sender, target: Target, delivery: Delivery) -> Attempt:
    headers = {}
    if target.sealed_secret is not None:
        message = signing.message_id(target.line, delivery.item_id)
        try:
            secret = context.vault.open(target.sealed_secret)
        except KontorError as error:
            return Attempt(None, error.message.en)
        headers = signing.headers(secret, message, delivery.body, context.now())
    return await sender.send(target.url, delivery.body.encode(), headers)


async def _settle(
    context: JobContext, target: Target, delivery: Delivery, attempt: Attempt, lease: Lease
) -> Lease | None:
    """Enters what became of an attempt, in the transaction that also renews the lease."""
    now = context.now()

    def settle(connection: Connection) -> Lease | None:
        if attempt.taken:
            deliveries.mark_delivered(connection, delivery, attempt.status or 0, now)
        elif attempt.gone:
            deliveries.mark_gone(connection, delivery, attempt.status or 0)
            end(connection, target, now)
        else:
            later = next_attempt(delivery.attempts + 1, now, attempt.retry_after)
            deliveries.mark_failed(connection, delivery, attempt.status, attempt.error, later)
        return leases.renew(connection, lease, LEASE_SECONDS, now)

    return await context.write(settle)
