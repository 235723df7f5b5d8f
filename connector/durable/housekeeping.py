"""Deletes old finished rows, so that the database does not grow without bound."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection

from connector.durable.context import JobContext
from connector.durable.waiting_runs import end_spent_callbacks
from connector.durable.work import Outcome, Work
from connector.store import (
    deliveries,
    due_work,
    events,
    form_keys,
    items,
    kept_answers,
    read_runs,
    runs,
    subscription_keys,
    timeline,
    timers,
)
from connector.store.due_work import Claim
from connector.store.untold_work import tell_listeners

DAY = timedelta(days=1)
CHECK_SECONDS = 3600.0
"""How often a host asks the store whether it is due."""
ITEMS_KEPT = timedelta(days=90)
"""Deliveries have their own copies of items, and cursors prevent items from being found again."""
TIMELINE_KEPT = timedelta(days=30)
RECORDS_KEPT = timedelta(days=400)
"""A fiscal year and some weeks: events and deliveries. How long runs are kept, their workspace says."""


class HousekeepingWork(Work):
    """Deletes old rows, on one host a day. Its timer is its fence."""

    name = "housekeeping"

    async def claim(self, owner: str, most: int) -> Sequence[Claim]:
        """Claim the only piece, when it is time to ask the store."""
        is_time = self.context.clock.monotonic() >= self.context.next_housekeeping
        return (Claim(self.name, "", owner, 0, 0),) if is_time else ()

    async def do(self, piece: Claim) -> Outcome:
        """Delete old rows if a day has passed."""
        now = self.context.now()
        return Outcome(await clean_up_due(self.context, now), now + timedelta(seconds=CHECK_SECONDS))


async def clean_up_due(context: JobContext, now: datetime) -> int:
    """Delete old rows once a day, on one host; return how many."""
    moment = context.clock.monotonic()
    if moment < context.next_housekeeping:
        return 0
    context.next_housekeeping = moment + CHECK_SECONDS
    due = await context.write(lambda connection: _is_due(connection, now))
    return await context.write(lambda connection: _delete_old(connection, now)) if due else 0


def _is_due(connection: Connection, now: datetime) -> bool:
    tell_listeners(connection, now)  # hosts of the version before create subscriptions without telling
    return timers.claim(connection, "housekeeping", DAY, now)


def _delete_old(connection: Connection, now: datetime) -> int:
    before = now - RECORDS_KEPT
    records = (events.delete_old, deliveries.delete_old, subscription_keys.delete_old)
    deleted = runs.delete_old(connection, before, now) + end_spent_callbacks(connection, now)
    deleted += read_runs.delete_old(connection, now) + due_work.delete_sent(connection)
    deleted += kept_answers.delete_old(connection, now)
    deleted += items.delete_old(connection, now - ITEMS_KEPT) + form_keys.delete_old(connection, now - ITEMS_KEPT)
    deleted += timeline.delete_old(connection, now - TIMELINE_KEPT)
    return deleted + sum(delete(connection, before) for delete in records)
