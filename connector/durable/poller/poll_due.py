"""Polls the due cursors of a credential, grouped so that as few requests as possible are sent."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from connector.core.errors import KontorError
from connector.durable.context import JobContext
from connector.durable.poller.bank_poll import poll_bank_rows
from connector.durable.poller.change_signals import may_pay
from connector.durable.poller.context import PollContext
from connector.durable.poller.group_poll import poll_group, request_key
from connector.durable.poller.pages import reads_bank_rows
from connector.durable.poller.polled_cursor import PolledCursor
from connector.durable.poller.run_poll import lease_name, load_cursors, postpone_change, run_poll
from connector.durable.work import KeyedWork, hold_leases, notify_overdue, run_due
from connector.store.triggers import cursors, due_work
from connector.store.triggers.cursors import StoredCursor
from connector.store.trust import credentials

if TYPE_CHECKING:
    from sqlalchemy import Connection

BATCH_SIZE = 500
CHECK_SECONDS = 0.5
"""How often further cursors of the credential are looked for while slow answers are waited for."""


class PollWork(KeyedWork):
    """Polls; a key is a credential's id."""

    name = due_work.POLLS
    most = 32

    async def work(self, key: str) -> int:
        """Poll the credential's due cursors, and those that become due while slow ones are waited for."""
        running: set[asyncio.Task[int]] = set()
        begun: set[tuple[str, datetime | None, int]] = set()
        polled = 0
        try:
            while True:
                due = await self.context.read(lambda connection: _due(connection, key, self.context.now()))
                fresh = [cursor for cursor in due if (cursor.name, cursor.next_at, cursor.nudges) not in begun]
                begun.update((cursor.name, cursor.next_at, cursor.nudges) for cursor in fresh)
                if fresh:
                    running.add(asyncio.create_task(_poll_credential(self.context, key, fresh)))
                if not running:
                    return polled
                ended, running = await asyncio.wait(running, timeout=CHECK_SECONDS)
                polled += sum(task.result() for task in ended)
                if not running:
                    return polled
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    def next_at(self, connection: Connection, key: str) -> datetime | None:
        """Return when the first of the credential's cursors is due."""
        return cursors.next_of(connection, credentials.fingerprint_of(connection, key))


async def poll_due(job: JobContext, now: datetime) -> int:
    """Poll all that is due, told or not; return how many cursors. Safe to repeat at any point, and concurrently."""
    await job.write(lambda connection: notify_overdue(connection, now, now))
    return await run_due(PollWork(job))


def _due(connection: Connection, credential_id: str, now: datetime) -> Sequence[StoredCursor]:
    return cursors.due_of(connection, credentials.fingerprint_of(connection, credential_id), now, BATCH_SIZE)


async def _poll_credential(job: JobContext, credential_id: str, due: list[StoredCursor]) -> int:
    try:
        session = await job.session(credential_id)
    except KontorError as error:
        await job.write(postpone_change(due, error, job.now()))
        return 0
    context = job.poll_context(session)
    shared, unshared = list[str](), list[str]()
    for stored in due:
        try:
            (shared if reads_bank_rows(job.connector.trigger(stored.trigger)) else unshared).append(stored.name)
        except KontorError as error:  # the trigger no longer exists
            await job.write(postpone_change([stored], error, job.now()))
    polls: list[Awaitable[int]] = [_poll_unshared(context, unshared)] if unshared else []
    if shared:
        polls.append(poll_bank_rows(job, context, credential_id, shared))
    return sum(await asyncio.gather(*polls))


async def _poll_unshared(context: PollContext, names: list[str]) -> int:
    async with hold_leases(context, [lease_name(name) for name in names]) as held:
        loaded = await load_cursors(context, names, held)
        groups: dict[Any, list[PolledCursor]] = defaultdict(list)
        for cursor in loaded:
            if may_pay(cursor.stored, cursor.trigger, cursor.began):
                groups[request_key(context, cursor)].append(cursor)
            else:
                await cursor.finish(context, cursor.next_paid_poll())
        await asyncio.gather(*(_poll_one_group(context, group) for group in groups.values()))
    return len(loaded)


async def _poll_one_group(context: PollContext, group: list[PolledCursor]) -> None:
    await run_poll(context, group, lambda: poll_group(context, group), lambda cursor: {})
