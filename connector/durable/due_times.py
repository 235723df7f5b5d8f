"""Corrects due times that are further ahead than their longest interval: a clock that ran ahead has set them.

Without that, polls, events and deliveries would rest until the true time has reached what the wrong clock wrote.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import and_, or_

from connector.durable.inbox import pauses
from connector.durable.outbox import schedule as delivery_schedule
from connector.durable.overdue import tell_overdue
from connector.durable.poller import schedule as poll_schedule
from connector.store import cursors, deliveries, due_work, events, hooks
from connector.store.schema import cursors as cursor_table

if TYPE_CHECKING:
    from sqlalchemy import Connection

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
        + events.pull_back(connection, late + pauses.MAX_PAUSE, now)
        + _pull_back_deliveries(connection, late, now)
        + hooks.pull_back(connection, late, now)
    )
    if corrected:
        tell_overdue(connection, now, now)
    return corrected + due_work.pull_back(connection, late + LONGEST_RECONCILIATION, late + LONGEST_CLAIM, now)


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
        one.id
        for one in ahead
        if one.next_at is not None
        and one.next_at > late + delivery_schedule.longest_delay(one.attempts, one.last_status)
    ]
    deliveries.make_due(connection, wrong, now)
    return len(wrong) + deliveries.end_rests(connection, late + delivery_schedule.LONGEST_NAMED_REST, now)
