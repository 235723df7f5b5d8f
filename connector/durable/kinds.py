"""All kinds of work that a host does.

Finds work that is overdue and that nobody takes, on this host or another.

The most overdue piece of each kind is looked at again and again: if neither it nor the counter of its lease has moved
for two minutes of the observer's monotonic clock, that kind of work stands still.
"""

from __future__ import annotations

from collections.abc import Hashable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from connector.core.timing import BeatObserver
from connector.durable.inbox.check_due import CheckWork
from connector.durable.inbox.decide_due import DecideWork
from connector.durable.inbox.decide_due import lease_name as events_lease
from connector.durable.inbox.reconcile import ReconcileWork
from connector.durable.outbox.deliver_due import DeliverWork, SlowDeliverWork
from connector.durable.outbox.deliver_due import lease_name as deliveries_lease
from connector.durable.poller.poll_due import PollWork
from connector.durable.poller.run_poll import lease_name as poll_lease
from connector.durable.upkeep.alerts import AlertWork
from connector.durable.upkeep.bank_checks import BankStateWork
from connector.durable.upkeep.housekeeping import HousekeepingWork, SealWork
from connector.durable.waiting_runs import ApprovalNewsWork, ApprovedWork
from connector.durable.work import Work
from connector.store.database import leases
from connector.store.triggers import cursors, deliveries, due_work, events

if TYPE_CHECKING:
    from sqlalchemy import Connection

KINDS: tuple[type[Work], ...] = (
    *(PollWork, DecideWork, DeliverWork, SlowDeliverWork, ApprovedWork, ApprovalNewsWork),
    *(CheckWork, ReconcileWork, BankStateWork, HousekeepingWork, SealWork, AlertWork),
)


OVERDUE = timedelta(minutes=1)
STANDSTILL_SECONDS = 120.0


class StandstillWatch:
    """What one process has seen of the most overdue pieces of work."""

    def __init__(self) -> None:
        self._observer = BeatObserver(STANDSTILL_SECONDS)

    def stalled(self, connection: Connection, now: datetime, moment: float) -> list[str]:
        """Return the kinds of work that stand still: `polls`, `events`, `deliveries`; `moment` is monotonic."""
        overdue = {
            "polls": _overdue_poll(connection, now - OVERDUE),
            "events": _overdue_event(connection, now - OVERDUE),
            "deliveries": _overdue_delivery(connection, now - OVERDUE),
        }
        return [
            kind for kind, piece in overdue.items() if self._observer.is_dead(kind, piece, moment) and piece is not None
        ]


def _overdue_poll(connection: Connection, before: datetime) -> Hashable:
    due = cursors.due(connection, before, 1)
    if not due:
        return None
    return due[0].name, due[0].next_at, leases.counter(connection, poll_lease(due[0].name))


def _overdue_event(connection: Connection, before: datetime) -> Hashable:
    due = events.due(connection, before, 1)
    if not due:
        return None
    return due[0].id, due[0].next_at, leases.counter(connection, events_lease(due[0].credential_id))


def _overdue_delivery(connection: Connection, before: datetime) -> Hashable:
    queue_id = due_work.most_overdue(connection, due_work.DELIVERIES, before)
    head = deliveries.next_due(connection, queue_id, before) if queue_id is not None else None
    if head is None or queue_id is None:
        return None
    return head.id, head.next_at, leases.counter(connection, deliveries_lease(queue_id))
