"""Keeps one time for all hosts of a database.

Due times are wall times. Two hosts whose clocks are a day apart would take each other's work for overdue, or for due
tomorrow. So one host keeps the clock, under a lease: with every heartbeat it stores its time, and corrects due times
that a wrong clock has left far ahead. The others work by its time as long as it lives.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from connector.core.heartbeat import BEAT_SECONDS, BeatObserver
from connector.durable.due_times import pull_back
from connector.durable.overdue import tell_overdue
from connector.durable.shared_clock import SharedClock
from connector.store import leases, timers
from connector.store.leases import Lease

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.durable.context import JobContext

LEASE = leases.CLOCK
TOLERANCE = timedelta(seconds=30)
"""Clocks that differ by less are taken for equal: a stored time is a few seconds old when it is read."""
SWEEP_SECONDS = 30.0
UNTOLD = timedelta(seconds=30)
"""What is overdue for so long, and planned by nobody, was never told."""


class ClockKeeping:
    """This host's part: keeps the clock if nobody does, and otherwise follows whoever does."""

    def __init__(self, clock: SharedClock, owner: str, observer: BeatObserver) -> None:
        self._clock, self._owner, self._observer = clock, owner, observer
        self._lease: Lease | None = None
        self._counter: tuple[int, int] | None = None
        self._next_beat = self._next_sweep = float("-inf")

    async def run_due(self, context: JobContext, now: datetime) -> int:
        """Do what is due: raise the counter and store the time, or follow; return how many due times were corrected."""
        moment = self._clock.monotonic()
        if moment < self._next_beat:
            return 0
        self._next_beat = moment + BEAT_SECONDS
        if not await context.write(self._keep):
            return 0
        if moment < self._next_sweep:
            return 0
        self._next_sweep = moment + SWEEP_SECONDS
        return await context.write(lambda connection: _sweep(connection, context, self._clock.utcnow()))

    def _keep(self, connection: Connection) -> bool:
        """Whether this host keeps the clock, now that it has tried."""
        if self._lease is None or not leases.renew(connection, self._lease):
            moment = self._clock.monotonic()
            self._lease = leases.acquire(connection, LEASE, self._owner, self._observer, moment)
            self._next_sweep = moment
        if self._lease is None:
            self._follow(connection)
            return False
        self._clock.correction = timedelta(0)
        timers.set_time(connection, LEASE, self._clock.own.utcnow())
        return True

    def _follow(self, connection: Connection) -> None:
        """Take over the keeper's time, once its counter has been seen to move."""
        before, self._counter = self._counter, leases.counter(connection, LEASE)
        kept = timers.time_of(connection, LEASE)
        if before is None or self._counter is None or self._counter == before or kept is None:
            return
        ahead = kept - self._clock.own.utcnow()
        self._clock.correction = ahead if abs(ahead) > TOLERANCE else timedelta(0)

    async def stop(self, context: JobContext) -> None:
        """Leave the clock to another host."""
        held, self._lease = self._lease, None
        if held is not None:
            await context.write(lambda connection: leases.release(connection, held))


def _sweep(connection: Connection, context: JobContext, now: datetime) -> int:
    """Correct due times that lie too far ahead, and find overdue work of which nobody was told."""
    return pull_back(connection, context.connector, now) + tell_overdue(connection, now - UNTOLD, now)
