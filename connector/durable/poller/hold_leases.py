"""Holds the leases of cursors during a poll, and renews them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from connector.durable.poller.context import PollContext
from connector.store import leases
from connector.store.leases import Lease

if TYPE_CHECKING:
    from sqlalchemy import Connection


@contextlib.asynccontextmanager
async def hold_leases(context: PollContext, names: Sequence[str]) -> AsyncIterator[dict[str, Lease]]:
    """Acquire those of the leases that are free and yield them by name; release them at the end."""
    seconds = context.settings.lease_seconds

    def acquire(connection: Connection) -> list[Lease]:
        now = context.clock.utcnow()
        # Always in the same order, so that two hosts cannot deadlock.
        wanted = (leases.acquire(connection, name, context.owner, seconds, now) for name in sorted(names))
        return [lease for lease in wanted if lease is not None]

    held = await context.write(acquire)
    renewing = asyncio.create_task(_renew(context, held))
    try:
        yield {lease.name: lease for lease in held}
    finally:
        renewing.cancel()
        now = context.clock.utcnow()
        context.database.write(lambda connection: _release(connection, held, now))


async def _renew(context: PollContext, held: Sequence[Lease]) -> None:
    """Renew the leases three times per lease duration. A lost one is noticed at the next commit."""
    seconds = context.settings.lease_seconds

    def renew(connection: Connection) -> None:
        for lease in held:
            leases.renew(connection, lease, seconds, context.clock.utcnow())

    while held:
        await asyncio.sleep(context.clock.real(seconds / 3))
        await context.write(renew)


def _release(connection: Connection, held: Sequence[Lease], now: datetime) -> None:
    for lease in held:
        leases.release(connection, lease, now)
