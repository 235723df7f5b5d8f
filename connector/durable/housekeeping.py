"""Deletes old finished rows, so that the database does not grow without bound."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection

from connector.durable.context import JobContext
from connector.store import deliveries, events, items, leases, runs

DAY = timedelta(days=1)
ITEMS_KEPT = timedelta(days=90)
"""Deliveries have their own copies of items, and cursors prevent items from being found again."""
RECORDS_KEPT = timedelta(days=400)
"""A fiscal year and some weeks: events, deliveries, and runs without a caller's key."""


async def clean_up_due(context: JobContext, now: datetime) -> int:
    """Delete old rows once a day, on one host; return how many."""
    if now < context.next_housekeeping_at:
        return 0
    context.next_housekeeping_at = now + DAY / 24
    # Not released: until the lease expires, no host does it again.
    lease = await context.write(lambda c: leases.acquire(c, "housekeeping", context.owner, DAY.total_seconds(), now))
    return 0 if lease is None else await context.write(lambda connection: _delete_old(connection, now))


def _delete_old(connection: Connection, now: datetime) -> int:
    before = now - RECORDS_KEPT
    records = (events.delete_old, deliveries.delete_old, runs.delete_old)
    return items.delete_old(connection, now - ITEMS_KEPT) + sum(delete(connection, before) for delete in records)
