"""Holds a lease during a piece of the hub's work, and renews it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from connector.store import leases
from connector.store.leases import Lease

if TYPE_CHECKING:
    from connector.durable.context import JobContext

SECONDS = 30.0


@contextlib.asynccontextmanager
async def hold_lease(context: JobContext, name: str) -> AsyncIterator[Lease | None]:
    """Acquire the lease, or yield None when another host holds it; release it at the end."""
    lease = await context.write(
        lambda connection: leases.acquire(connection, name, context.owner, SECONDS, context.now())
    )
    if lease is None:
        yield None
        return
    renewing = asyncio.create_task(_renew(context, lease))
    try:
        yield lease
    finally:
        renewing.cancel()
        context.database.write(lambda connection: leases.release(connection, lease, context.now()))


async def _renew(context: JobContext, lease: Lease) -> None:
    while True:
        await asyncio.sleep(context.clock.real(SECONDS / 3))
        await context.write(lambda connection: leases.renew(connection, lease, SECONDS, context.now()))
