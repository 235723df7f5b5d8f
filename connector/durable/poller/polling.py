"""The job that polls: finds the cursors that are due, asks the service as little as possible, commits what is new."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from connector.core.errors import KontorError
from connector.durable.context import JobContext
from connector.durable.poller.bank_polling import poll_bank_rows
from connector.durable.poller.bank_rows import reads_bank_rows
from connector.durable.poller.holding import holding
from connector.durable.poller.member import Member
from connector.durable.poller.plain import poll_together
from connector.durable.poller.tending import lease_name, load, postponing, tended
from connector.durable.poller.work import PollWork
from connector.store import credentials, cursors
from connector.store.cursors import StoredCursor

if TYPE_CHECKING:
    from sqlalchemy import Connection

AT_ONCE = 500


async def poll_due(context: JobContext, now: datetime) -> int:
    """Polls what is due; returns how many cursors were served. Safe to run again at any point, and beside others."""
    due = await context.read(lambda connection: cursors.due(connection, now, AT_ONCE))
    if not due:
        return 0
    ids = await context.read(_credential_ids)
    by_credential: dict[str, list[StoredCursor]] = defaultdict(list)
    for stored in due:
        by_credential[stored.credential].append(stored)
    served = await asyncio.gather(*(_poll_credential(context, ids.get(key), own) for key, own in by_credential.items()))
    return sum(served)


def _credential_ids(connection: Connection) -> dict[str, str]:
    return {kept.fingerprint: kept.id for kept in credentials.listed(connection)}


async def _poll_credential(context: JobContext, credential_id: str | None, due: list[StoredCursor]) -> int:
    if credential_id is None:  # its credential is not kept here: nobody can ask for it
        await context.write(lambda connection: cursors.unschedule(connection, [stored.name for stored in due]))
        return 0
    try:
        session = await context.session(credential_id)
    except KontorError as error:
        await context.write(postponing(due, error, context.now()))
        return 0
    work = PollWork(context.connector, context.database, session, context.owner, context.clock, context.settings)
    shared, plain = list[str](), list[str]()
    for stored in due:
        try:
            (shared if reads_bank_rows(context.connector.trigger(stored.trigger)) else plain).append(stored.name)
        except KontorError as error:  # there is no such trigger any more
            await context.write(postponing([stored], error, context.now()))
    jobs: list[Awaitable[int]] = [_poll_plain(work, plain)] if plain else []
    if shared:
        jobs.append(poll_bank_rows(context, work, credential_id, shared))
    return sum(await asyncio.gather(*jobs))


async def _poll_plain(work: PollWork, names: list[str]) -> int:
    async with holding(work, [lease_name(name) for name in names]) as held:
        members = await load(work, names, held)
        groups: dict[Any, list[Member]] = defaultdict(list)
        for member in members:
            call = None if member.trigger.request is None else member.call(work)
            groups[call and (call.method, call.path, repr(sorted(call.query.items())))].append(member)
        await asyncio.gather(*(_serve(work, group) for group in groups.values()))
    return len(members)


async def _serve(work: PollWork, group: list[Member]) -> None:
    await tended(work, group, lambda: poll_together(work, group), lambda member: {})
