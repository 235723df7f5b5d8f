"""Forgets what is long past, so that the store does not grow for ever. What still waits for anything stays."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection

from connector.durable.context import JobContext
from connector.store import deliveries, events, items, journal, leases

DAY = timedelta(days=1)
ITEMS_KEPT = timedelta(days=90)
"""Their deliveries stand for themselves, and cursors keep them from coming again."""
RECORDS_KEPT = timedelta(days=400)
"""A fiscal year and some: what was heard, what was told, and which writes went through without a key."""


async def forget_due(context: JobContext, now: datetime) -> int:
    """Once a day, by one host; returns how many rows were forgotten."""
    if now < context.housekeeping_at:
        return 0
    context.housekeeping_at = now + DAY / 24
    # Taken and not given back: until it has run out, no host does it again.
    turn = await context.write(lambda c: leases.acquire(c, "housekeeping", context.owner, DAY.total_seconds(), now))
    return 0 if turn is None else await context.write(lambda connection: _forget(connection, now))


def _forget(connection: Connection, now: datetime) -> int:
    old = now - RECORDS_KEPT
    records = (events.delete_old, deliveries.delete_old, journal.delete_old)
    return items.delete_old(connection, now - ITEMS_KEPT) + sum(forget(connection, old) for forget in records)
