"""Forgets items that are long past: their deliveries stand for themselves, and cursors keep them from coming again."""

from __future__ import annotations

from datetime import datetime, timedelta

from connector.engine.context import JobContext
from connector.store import items, leases

DAY = 86_400.0
KEPT_DAYS = 90


async def forget_due(context: JobContext, now: datetime) -> int:
    """Once a day, by one host; returns how many items were forgotten."""
    # Taken and not given back: until it has run out, no host does it again.
    turn = await context.write(lambda c: leases.acquire(c, "housekeeping", context.owner, DAY, now))
    if turn is None:
        return 0
    return await context.write(lambda c: items.forget(c, now - timedelta(days=KEPT_DAYS)))
