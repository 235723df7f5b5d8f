"""The seam between finding work and doing it: kinds of work, and the leases under which a piece is done.

A kind offers `claim`, which finds pieces by an index and gives no other host the same, and `do`, which works at one
piece, commits its results, and plans when the key is next due. `due_work.schedule`, in the transaction of whoever
has news, makes a key due; news during `do` makes it due again. `do` is safe to repeat at any point: the leases and
fences of the work itself decide what counts.
"""

from __future__ import annotations

import asyncio
import contextlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from connector.core.timing import BEAT_SECONDS
from connector.durable.settings import WEBHOOK_CHECK_INTERVAL
from connector.store.database import leases
from connector.store.database.leases import Lease
from connector.store.triggers import due_work, overdue
from connector.store.triggers.due_work import Claim

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.core.timing import BeatObserver, Clock
    from connector.durable.context import JobContext
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


BUSY_SECONDS = 2.0
"""When to look again at a key at which somebody else works, as its lease shows."""
FAILED_SECONDS = 15.0
"""When to look again at a key whose work failed unexpectedly."""
CHECK_SECONDS = 0.2
"""How often a run of everything due looks for more while it waits for slow pieces."""


class Outcome(NamedTuple):
    """What came of a piece, after it was committed."""

    done: int
    """How much was done, in the unit of the kind."""
    next_at: datetime | None
    """When the key is next due; None: when there is news."""


class Work(ABC):
    """A kind of work. The same object serves all pieces of one host."""

    name: str
    most: int = 1
    """How many pieces a host works at concurrently."""

    def __init__(self, context: JobContext) -> None:
        self.context = context

    @abstractmethod
    async def claim(self, owner: str, most: int) -> Sequence[Claim]:
        """Claim up to `most` pieces that are due. Without any, this reads little and writes nothing."""

    @abstractmethod
    async def do(self, piece: Claim) -> Outcome:
        """Work at a claimed piece."""


class KeyedWork(Work):
    """A kind of work whose keys are rows of `due_work`."""

    async def claim(self, owner: str, most: int) -> Sequence[Claim]:
        """Claim the keys that are longest overdue: each has its turn before any gets a second one."""
        context, now = self.context, self.context.now()
        if not await context.batched_reads.read(lambda connection: due_work.is_due(connection, self.name, now)):
            return ()
        return await self.claim_due(owner, most)

    async def claim_due(self, owner: str, most: int, key: str | None = None) -> Sequence[Claim]:
        """Claim what is due, or only this key, without looking first whether anything is."""
        now, until = self.context.now(), self.context.claim_ends()
        return await self.context.write(
            lambda connection: due_work.claim(connection, self.name, owner, most, now, until, key), durable=False
        )

    async def do(self, piece: Claim) -> Outcome:
        """Work at a key under its claim, then plan its next time from what is stored."""
        done, failed = 0, True
        try:
            with self.context.claims.holding(piece):
                done = await self.work(piece.key)
            failed = False
        finally:
            planned = await asyncio.shield(self._finish(piece, done, failed))
        return Outcome(done, planned)

    async def _finish(self, piece: Claim, done: int, failed: bool) -> datetime | None:
        now = self.context.now()

        def finish(connection: Connection) -> datetime | None:
            next_at = self.next_at(connection, piece.key)
            if failed:
                next_at = now + timedelta(seconds=FAILED_SECONDS)
            elif next_at is not None and next_at <= now:
                # Behind all who wait, so that a key with much to do has no advantage.
                next_at = now if done else now + timedelta(seconds=BUSY_SECONDS)
            due_work.finish(connection, piece, next_at, now)
            return next_at

        return await self.context.write(finish, durable=False)

    @abstractmethod
    async def work(self, key: str) -> int:
        """Do what is due for a key; return how much was done."""

    @abstractmethod
    def next_at(self, connection: Connection, key: str) -> datetime | None:
        """Return when the key is next due, as stored; None: when there is news."""


async def run_due(work: Work) -> int:
    """Do all that is due, or becomes due meanwhile; return how much was done. For tests, and for who has no driver."""
    running: set[asyncio.Task[Outcome]] = set()
    total, owner = 0, work.context.owner
    try:
        while True:
            for piece in await work.claim(owner, work.most - len(running)) if len(running) < work.most else ():
                running.add(asyncio.create_task(work.do(piece)))
            if not running:
                return total
            ended, running = await asyncio.wait(running, timeout=CHECK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            total += sum(task.result().done for task in ended)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


def notify_overdue(connection: Connection, before: datetime, now: datetime) -> int:
    """Make due what was due before then and of which nobody was told; return how many keys."""
    return overdue.notify_overdue(connection, before, now, WEBHOOK_CHECK_INTERVAL)
