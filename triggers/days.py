"""Days and ages of rows, read without ever failing: a date that cannot be read is None."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from connector.core.values.dates import instant

LATE_DAYS = 2


def day_of(value: Any) -> date | None:
    """A plain date."""
    return _plain(value) if isinstance(value, str) else None


def _plain(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def berlin_day(moment: datetime) -> date:
    """The day on the clocks of Europe/Berlin."""
    return moment.astimezone(ZoneInfo("Europe/Berlin")).date()


def berlin_day_of(value: Any) -> date | None:
    """The day in Europe/Berlin of a point in time as the service writes it."""
    try:
        return berlin_day(instant(value))
    except (ValueError, OverflowError):
        return None


def arrived_late(row: dict[str, Any]) -> bool:
    """Whether a transaction came in more than two days after its value date."""
    made_on, created_at = row.get("made_on"), row.get("created_at")
    if not isinstance(made_on, str) or not isinstance(created_at, str):
        return False
    # The written day and the one in Berlin are at most one apart, so that few rows need their zone worked out.
    if made_on >= created_at[:10]:
        return False
    made, written = _plain(made_on), _plain(created_at[:10])
    if made is None or written is None:
        return False
    apart = (written - made).days
    if apart < LATE_DAYS or apart > LATE_DAYS + 1:
        return apart > LATE_DAYS
    created = berlin_day_of(created_at)
    return created is not None and (created - made).days > LATE_DAYS


def age_in_days(row: dict[str, Any], now: datetime) -> int | None:
    """Days since the row came in; without that time, since its value date."""
    since = berlin_day_of(row.get("created_at")) or day_of(row.get("made_on"))
    return None if since is None else (berlin_day(now) - since).days


def is_young(row: dict[str, Any], days: int, today: date) -> bool:
    """Whether the row came in, or has its value date, within these days. One without any date counts as young."""
    made = day_of(row.get("made_on"))
    if made is not None and (today - made).days <= days:
        return True
    created = berlin_day_of(row.get("created_at"))
    return (made is None) if created is None else (today - created).days <= days
