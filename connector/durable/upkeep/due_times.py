"""Keeps due times true: one time for all hosts, and corrections of what a wrong clock or a refusal has put off.

Without them, polls, events and deliveries would rest until the true time has reached what the wrong clock wrote.

Due times are wall times. Two hosts whose clocks are a day apart would take each other's work for overdue, or for due
tomorrow. So one host keeps the clock, under a lease: with every heartbeat it stores its time, and corrects due times
that a wrong clock has left far ahead. The others work by its time as long as it lives.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import Connection, and_, or_

from connector.core.errors import RateLimited, ServiceDown
from connector.core.timing import BEAT_SECONDS, BeatObserver
from connector.durable.context import SharedClock
from connector.durable.inbox import confirm_limits
from connector.durable.outbox import schedule as delivery_schedule
from connector.durable.poller import schedule as poll_schedule
from connector.durable.settings import BANK_CHECK_INTERVAL
from connector.durable.work import notify_overdue
from connector.store.database import leases
from connector.store.database.leases import Lease
from connector.store.schema import cursors as cursor_table
from connector.store.triggers import cursors, deliveries, due_work, events, hooks

if TYPE_CHECKING:
    from connector.durable.context import JobContext
    from connector.runtime.connector import Connector


SLACK = timedelta(minutes=1)
"""Added to every interval: clocks of hosts differ by some seconds."""
LONGEST_RECONCILIATION = timedelta(hours=1)
LONGEST_CLAIM = timedelta(minutes=1)


def pull_back(connection: Connection, connector: Connector, now: datetime) -> int:
    """Make due now what is scheduled further ahead than it can be; return how much."""
    late = now + SLACK
    corrected = (
        _pull_back_polls(connection, connector, late, now)
        + events.pull_back(connection, late + confirm_limits.MAX_PAUSE, now)
        + _pull_back_deliveries(connection, late, now)
        + hooks.pull_back(connection, late, now)
    )
    if corrected:
        notify_overdue(connection, now, now)
    planned = {
        due_work.RECONCILIATIONS: late + LONGEST_RECONCILIATION,
        due_work.BANK_STATES: late + BANK_CHECK_INTERVAL,
    }
    return corrected + due_work.pull_back(connection, planned, late + LONGEST_CLAIM, now)


def _pull_back_polls(connection: Connection, connector: Connector, late: datetime, now: datetime) -> int:
    by_interval: dict[timedelta, list[str]] = defaultdict(list)
    for trigger in connector.triggers.values():
        by_interval[poll_schedule.longest_interval(trigger)].append(trigger.id)
    table, retry = cursor_table.c, poll_schedule.LONGEST_RETRY
    # Whatever its trigger, also one that no longer exists. This and the others read, by an index, only what is late.
    too_late = [table.next_at > late + max(retry, *by_interval)]
    for interval, ids in by_interval.items():
        for id in ids:
            after_failure = table.next_at > late + max(interval, retry)
            after_success = and_(table.trigger == id, table.next_at > late + interval)
            too_late.append(and_(after_success, or_(table.trouble.is_(None), after_failure)))
    return sum(cursors.pull_back(connection, which, now) for which in too_late)


def _pull_back_deliveries(connection: Connection, late: datetime, now: datetime) -> int:
    ahead = deliveries.scheduled_after(connection, late)
    wrong = [
        delivery.id
        for delivery in ahead
        if delivery.next_at is not None
        and delivery.next_at > late + delivery_schedule.longest_delay(delivery.attempts, delivery.last_status)
    ]
    deliveries.make_due(connection, wrong, now)
    return len(wrong) + deliveries.end_rests(connection, late + delivery_schedule.LONGEST_NAMED_REST, now)


PUT_OFF = frozenset({RateLimited.kind, ServiceDown.kind})
"""The kinds of errors after which a poll waits, and which a restored service no longer gives."""


async def forget_refusals(context: JobContext, credential_id: str) -> None:
    """Begin with an empty rate window, and poll now what waits after a refusal."""
    session = await context.session(credential_id)
    session.state.governor.forget()
    session.state.governor.flush(session.clock.monotonic(), session.clock.speed)
    fingerprint, now = session.credential.fingerprint, context.now()

    def make_due(connection: Connection) -> None:
        waiting = [
            cursor.name
            for cursor in cursors.scheduled(connection, fingerprint)
            if cursor.trouble is not None and cursor.trouble.get("kind") in PUT_OFF
        ]
        if waiting:
            cursors.make_due(connection, waiting, now)
            due_work.schedule_polls(connection, fingerprint, now)

    await context.write(make_due)
    context.wake()


LEASE = leases.CLOCK
TOLERANCE = timedelta(seconds=30)
"""Clocks that differ by less are taken for equal: a stored time is a few seconds old when it is read."""
SWEEP_SECONDS = 30.0
OVERDUE = timedelta(seconds=30)
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
        leases.set_timer(connection, LEASE, self._clock.own.utcnow())
        return True

    def _follow(self, connection: Connection) -> None:
        """Take over the keeper's time, once its counter has been seen to move."""
        before, self._counter = self._counter, leases.counter(connection, LEASE)
        timer = leases.timer_of(connection, LEASE)
        if before is None or self._counter is None or self._counter == before or timer is None:
            return
        ahead = timer - self._clock.own.utcnow()
        self._clock.correction = ahead if abs(ahead) > TOLERANCE else timedelta(0)

    async def stop(self, context: JobContext) -> None:
        """Leave the clock to another host."""
        held, self._lease = self._lease, None
        if held is not None:
            await context.write(lambda connection: leases.release(connection, held))


def _sweep(connection: Connection, context: JobContext, now: datetime) -> int:
    """Correct due times that lie too far ahead, and find overdue work of which nobody was told."""
    return pull_back(connection, context.connector, now) + notify_overdue(connection, now - OVERDUE, now)
