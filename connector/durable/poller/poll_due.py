"""The job that polls due cursors, grouped so that as few requests as possible are sent."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from connector.core.errors import KontorError
from connector.durable.context import JobContext
from connector.durable.held_leases import hold_leases
from connector.durable.poller.bank_poll import poll_bank_rows
from connector.durable.poller.bank_rows import reads_bank_rows
from connector.durable.poller.context import PollContext
from connector.durable.poller.group_poll import poll_group
from connector.durable.poller.polled_cursor import PolledCursor
from connector.durable.poller.run_poll import lease_name, load_cursors, postpone_change, run_poll
from connector.store import credentials, cursors
from connector.store.cursors import StoredCursor

if TYPE_CHECKING:
    from sqlalchemy import Connection

BATCH_SIZE = 500


async def poll_due(job: JobContext, now: datetime) -> int:
    """Poll the due cursors; return how many. Safe to repeat at any point, and to run concurrently."""
    due = await job.read(lambda connection: cursors.due(connection, now, BATCH_SIZE))
    if not due:
        return 0
    ids = await job.read(_credential_ids)
    by_credential: dict[str, list[StoredCursor]] = defaultdict(list)
    for stored in due:
        by_credential[stored.credential].append(stored)
    polled = await asyncio.gather(*(_poll_credential(job, ids.get(key), own) for key, own in by_credential.items()))
    return sum(polled)


def _credential_ids(connection: Connection) -> dict[str, str]:
    return {kept.fingerprint: kept.id for kept in credentials.listed(connection, None)}


async def _poll_credential(job: JobContext, credential_id: str | None, due: list[StoredCursor]) -> int:
    if credential_id is None:  # the credential is not stored, so these cannot be polled
        await job.write(lambda connection: cursors.unschedule(connection, [stored.name for stored in due]))
        return 0
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
            groups[_request_key(context, cursor)].append(cursor)
        await asyncio.gather(*(_poll_one_group(context, group) for group in groups.values()))
    return len(loaded)


def _request_key(context: PollContext, cursor: PolledCursor) -> Any:
    """Return what is equal for cursors whose requests are."""
    request = cursor.trigger.request
    if request is None:
        return None
    if cursor.trigger.watches_all(cursor.inputs):
        return (request.method, request.path)
    call = cursor.call(context)
    return (call.method, call.path, repr(sorted(call.query.items())))


async def _poll_one_group(context: PollContext, group: list[PolledCursor]) -> None:
    await run_poll(context, group, lambda: poll_group(context, group), lambda cursor: {})
