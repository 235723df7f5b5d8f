"""Holds leases during a piece of work, raises their counters meanwhile, and releases them at the end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from connector.core.heartbeat import BEAT_SECONDS
from connector.store import leases
from connector.store.leases import Lease

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.core.clock import Clock
    from connector.core.heartbeat import BeatObserver
    from connector.store import Database


class Worker(Protocol):
    """Whoever works under leases: a host, or a command line."""

    @property
    def owner(self) -> str:
        """Identifies the process in its leases."""

    @property
    def clock(self) -> Clock:
        """The clock that times the counters."""

    @property
    def database(self) -> Database:
        """The database of the leases."""

    @property
    def observer(self) -> BeatObserver:
        """What this process has seen of the leases of others."""

    async def write(self, change: Callable[[Connection], Any]) -> Any:
        """Commit a change."""


@contextlib.asynccontextmanager
async def hold_leases(worker: Worker, names: Sequence[str]) -> AsyncIterator[dict[str, Lease]]:
    """Acquire those of the leases that are free and yield them by name; release them at the end."""

    def acquire(connection: Connection) -> list[Lease]:
        now = worker.clock.monotonic()
        # Always in the same order, so that two hosts cannot deadlock.
        wanted = (leases.acquire(connection, name, worker.owner, worker.observer, now) for name in sorted(names))
        return [lease for lease in wanted if lease is not None]

    held: list[Lease] = await worker.write(acquire)
    if not held:
        yield {}
        return
    beating = asyncio.create_task(_keep_beating(worker, held))
    try:
        yield {lease.name: lease for lease in held}
    finally:
        beating.cancel()
        worker.database.write(lambda connection: _release(connection, held))


@contextlib.asynccontextmanager
async def hold_lease(worker: Worker, name: str) -> AsyncIterator[Lease | None]:
    """Acquire one lease, or yield None when another host holds it; release it at the end."""
    async with hold_leases(worker, [name]) as held:
        yield held.get(name)


async def _keep_beating(worker: Worker, held: Sequence[Lease]) -> None:
    """Raise the counters regularly. A lost lease is noticed at the next commit."""

    def renew(connection: Connection) -> None:
        for lease in held:
            leases.renew(connection, lease)

    while True:
        await asyncio.sleep(worker.clock.real(BEAT_SECONDS))
        with contextlib.suppress(Exception):  # a database that is away now may be back before the lease is lost
            await worker.write(renew)


def _release(connection: Connection, held: Sequence[Lease]) -> None:
    for lease in held:
        leases.release(connection, lease)
