"""Dates and date-times: `YYYY-MM-DD` is a date, everything else is RFC 3339.

Decisions made here, because inputs come from forms and spreadsheets:
- a date-time without a zone is in Europe/Berlin. In the hour repeated in autumn it is the first one; in the hour
  skipped in spring it moves on by an hour (02:30 becomes 03:30 summer time);
- a date where a date-time is needed is midnight in Europe/Berlin;
- seconds may be missing (forms send `2026-05-01T10:00`), and digits beyond microseconds are cut off.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

BERLIN = "Europe/Berlin"
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_OFFSET = r"([zZ]|[+-][0-9]{2}(:?[0-9]{2})?)"
_PARTS = re.compile(
    rf"(?P<day>{_DAY})"
    r"([Tt ](?P<minute>[0-9]{2}:[0-9]{2})(:(?P<second>[0-9]{2})([.,](?P<fraction>[0-9]+))?)?"
    rf"(?P<offset>{_OFFSET})?)?"
)


def day(value: Any) -> date:
    """Parse a date, or raise `ValueError`. A date-time is its day in Europe/Berlin."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if isinstance(value, str) and re.fullmatch(_DAY, value.strip()):
        return _valid_day(value.strip())
    if isinstance(value, datetime) or (isinstance(value, str) and _PARTS.fullmatch(value.strip())):
        return instant(value).astimezone(ZoneInfo(BERLIN)).date()
    raise ValueError("a date is written YYYY-MM-DD, for example 2026-05-01")


def written_day(value: Any) -> date:
    """Parse a date, or raise `ValueError`. A date-time is the day that it shows; one in UTC is its day in Berlin."""
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    moment = instant(value)
    return moment.date() if moment.utcoffset() else moment.astimezone(ZoneInfo(BERLIN)).date()


def shown_day(value: Any) -> date | None:
    """The day that stands in a date or date-time, whatever its zone; None where there is none."""
    if isinstance(value, date):
        return value.date() if isinstance(value, datetime) else value
    parts = _PARTS.fullmatch(value.strip()) if isinstance(value, str) else None
    try:
        return date.fromisoformat(parts["day"]) if parts else None
    except ValueError:
        return None


def instant(value: Any) -> datetime:
    """Parse a date-time and return it with a zone, or raise `ValueError`."""
    if isinstance(value, datetime):
        return value if value.utcoffset() is not None else _as_berlin_time(value)
    if isinstance(value, date):
        return _as_berlin_time(datetime(value.year, value.month, value.day))  # noqa: DTZ001 - the zone is given next
    parts = _PARTS.fullmatch(value.strip()) if isinstance(value, str) else None
    if parts is None:
        raise ValueError("a date-time is written as in RFC 3339, for example 2026-05-01T10:00:00+02:00")
    return _from_parts(parts)


def iso(moment: datetime) -> str:
    """Format a date-time as RFC 3339 with its offset."""
    return instant(moment).isoformat()


def _from_parts(parts: re.Match[str]) -> datetime:
    calendar = _valid_day(parts["day"])
    hour, minute = (int(number) for number in (parts["minute"] or "00:00").split(":"))
    second = int(parts["second"] or 0)
    # RFC 3339 allows leap seconds, Python does not: 60 becomes 59 plus one second.
    leap = timedelta(seconds=1 if second == 60 else 0)
    microsecond = int((parts["fraction"] or "").ljust(6, "0")[:6])
    try:
        naive = datetime(  # noqa: DTZ001 - the zone is given below
            calendar.year, calendar.month, calendar.day, hour, minute, 59 if leap else second, microsecond
        )
        if parts["offset"] is None:
            return _as_berlin_time(naive + leap)
        return naive.replace(tzinfo=_zone(parts["offset"])) + leap
    except (ValueError, OverflowError) as wrong:
        raise ValueError(f"there is no such time: {parts.string[:40]!r}") from wrong


def _valid_day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"there is no such day: {text}") from None


def _zone(offset: str) -> timezone:
    digits = offset[1:].replace(":", "")
    if int(digits or 0) == 0:
        return UTC
    hours, minutes = int(digits[:2]), int(digits[2:] or 0)
    if minutes > 59:
        raise ValueError("an offset has at most 59 minutes")
    distance = timedelta(hours=hours, minutes=minutes)
    return timezone(-distance if offset[0] == "-" else distance)


def _as_berlin_time(naive: datetime) -> datetime:
    berlin = ZoneInfo(BERLIN)
    # Through UTC, so that a time skipped in spring becomes the time that clocks show.
    try:
        return naive.replace(tzinfo=berlin, fold=0).astimezone(UTC).astimezone(berlin)
    except OverflowError:
        raise ValueError(f"there is no such time in every zone: {naive}") from None
