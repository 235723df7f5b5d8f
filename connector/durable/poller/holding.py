"""Holds leases for the length of a piece of work, and renews them while it takes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from connector.durable.poller.work import PollWork
from connector.store import leases
from connector.store.leases import Lease

if TYPE_CHECKING:
    from sqlalchemy import Connection


@contextlib.asynccontextmanager
async def holding(work: PollWork, names: Sequence[str]) -> AsyncIterator[dict[str, Lease]]:
    """The leases of these names that could be had, by name. They are given back at the end, whatever happens."""
    seconds = work.settings.lease_seconds

    def acquire(connection: Connection) -> list[Lease]:
        now = work.clock.utcnow()
        # In one order everywhere, so that two hosts never wait for each other crosswise.
        wanted = (leases.acquire(connection, name, work.owner, seconds, now) for name in sorted(names))
        return [lease for lease in wanted if lease is not None]

    held = await work.write(acquire)
    renewing = asyncio.create_task(_renew(work, held))
    try:
        yield {lease.name: lease for lease in held}
    finally:
        renewing.cancel()
        now = work.clock.utcnow()
        work.database.write(lambda connection: _release(connection, held, now))


async def _renew(work: PollWork, held: Sequence[Lease]) -> None:
    """Three times in a lease's life. One that is lost is noticed where it counts: at the next commit."""
    seconds = work.settings.lease_seconds

    def renew(connection: Connection) -> None:
        for lease in held:
            leases.renew(connection, lease, seconds, work.clock.utcnow())

    while held:
        await asyncio.sleep(work.clock.real(seconds / 3))
        await work.write(renew)


def _release(connection: Connection, held: Sequence[Lease], now: datetime) -> None:
    for lease in held:
        leases.release(connection, lease, now)
