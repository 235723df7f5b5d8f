"""Points in time as the store gives them back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import overload


@overload
def aware(moment: datetime) -> datetime: ...
@overload
def aware(moment: None) -> None: ...
@overload
def aware(moment: datetime | None) -> datetime | None: ...
def aware(moment: datetime | None) -> datetime | None:
    """SQLite keeps no zone; everything is written in UTC."""
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)
