"""Deletes old finished rows, so that the database does not grow without bound."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection

from connector.durable.context import JobContext
from connector.durable.waiting_runs import end_spent_callbacks
from connector.store import deliveries, events, form_keys, items, read_runs, runs, subscription_keys, timers

DAY = timedelta(days=1)
CHECK_SECONDS = 3600.0
"""How often a host asks the store whether it is due."""
ITEMS_KEPT = timedelta(days=90)
"""Deliveries have their own copies of items, and cursors prevent items from being found again."""
RECORDS_KEPT = timedelta(days=400)
"""A fiscal year and some weeks: events and deliveries. How long runs are kept, their workspace says."""


async def clean_up_due(context: JobContext, now: datetime) -> int:
    """Delete old rows once a day, on one host; return how many."""
    moment = context.clock.monotonic()
    if moment < context.next_housekeeping:
        return 0
    context.next_housekeeping = moment + CHECK_SECONDS
    due = await context.write(lambda connection: timers.claim(connection, "housekeeping", DAY, now))
    return await context.write(lambda connection: _delete_old(connection, now)) if due else 0


def _delete_old(connection: Connection, now: datetime) -> int:
    before = now - RECORDS_KEPT
    records = (events.delete_old, deliveries.delete_old, subscription_keys.delete_old)
    deleted = runs.delete_old(connection, before, now) + end_spent_callbacks(connection, now)
    deleted += read_runs.delete_old(connection, now)
    deleted += items.delete_old(connection, now - ITEMS_KEPT) + form_keys.delete_old(connection, now - ITEMS_KEPT)
    return deleted + sum(delete(connection, before) for delete in records)
