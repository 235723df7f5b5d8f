"""Days and ages of rows, read without ever failing: a date that cannot be read is None."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, datetime
from functools import lru_cache
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from connector.core.values.dates import instant


class Dates(NamedTuple):
    """Which fields of a row say when it came in (a date-time), and of which day it is (a date)."""

    came: str
    made: str


def plain_day(value: Any) -> date | None:
    """A date as the service writes it."""
    return _day(value) if isinstance(value, str) else None


@lru_cache(maxsize=4096)
def _day(text: str) -> date | None:
    """The same of a text: a list of thousands of rows has few dates."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def berlin_day(moment: datetime) -> date:
    """The date of a point in time in Europe/Berlin."""
    return moment.astimezone(ZoneInfo("Europe/Berlin")).date()


def berlin_day_of(value: Any) -> date | None:
    """The date in Europe/Berlin of a date-time as the service writes it."""
    try:
        return berlin_day(instant(value))
    except (ValueError, OverflowError):
        return None


def arrived_late(row: dict[str, Any], days: int, dates: Dates) -> bool:
    """Whether a row came in more than so many days after its own date."""
    made_on, created_at = row.get(dates.made), row.get(dates.came)
    if not isinstance(made_on, str) or not isinstance(created_at, str):
        return False
    # The written day and the one in Berlin are at most one apart, so that few rows need their zone worked out.
    if made_on >= created_at[:10]:
        return False
    own_day, written = plain_day(made_on), plain_day(created_at[:10])
    if own_day is None or written is None:
        return False
    apart = (written - own_day).days
    if apart < days or apart > days + 1:
        return apart > days
    created = berlin_day_of(created_at)
    return created is not None and (created - own_day).days > days


def newest_day(rows: Iterable[dict[str, Any]], now: datetime, dates: Dates) -> date:
    """The day by which rows are given up: that of the newest row, and never one ahead of our clock.

    Our clock alone gives nothing up: it may be fast. Neither does a single row with a senseless date.
    """
    today = berlin_day(now)
    days = (berlin_day_of(row.get(dates.came)) or plain_day(row.get(dates.made)) for row in rows)
    return max((day for day in days if day is not None and day <= today), default=date.min)


def age_in_days(row: dict[str, Any], newest: date, dates: Dates) -> int | None:
    """Days between the time when the row came in, or its own date, and the newest row."""
    since = berlin_day_of(row.get(dates.came)) or plain_day(row.get(dates.made))
    return None if since is None else (newest - since).days


def is_young(row: dict[str, Any], days: int, newest: date, dates: Dates) -> bool:
    """Whether the row came in, or has its own date, within these days before the newest; one without a date did."""
    own_day = plain_day(row.get(dates.made))
    if own_day is not None and (newest - own_day).days <= days:
        return True
    created = berlin_day_of(row.get(dates.came))
    return (own_day is None) if created is None else (newest - created).days <= days
