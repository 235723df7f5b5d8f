"""Makes due what is overdue though nobody was told of it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from connector.durable.settings import WEBHOOK_CHECK_INTERVAL
from connector.store import untold_work

if TYPE_CHECKING:
    from sqlalchemy import Connection


def tell_overdue(connection: Connection, before: datetime, now: datetime) -> int:
    """Tell what was due before then and is not planned; return how many keys."""
    return untold_work.tell_overdue(connection, before, now, WEBHOOK_CHECK_INTERVAL)
