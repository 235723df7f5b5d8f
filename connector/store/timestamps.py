"""Timestamps as the database returns them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import overload


@overload
def as_utc(moment: datetime) -> datetime: ...
@overload
def as_utc(moment: None) -> None: ...
@overload
def as_utc(moment: datetime | None) -> datetime | None: ...
def as_utc(moment: datetime | None) -> datetime | None:
    """Add the zone that SQLite does not store; all timestamps are written in UTC."""
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)
