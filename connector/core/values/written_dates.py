"""Dates and date-times as people and platforms write them. `docs/vocabulary.md` lists what is read and refused.

What may be misread (slashes, `20261231`, the day numbers of spreadsheets, Unix times) and the names of months are
refused with the day that was probably meant. `connector/export/node/core/values/written_dates.ts` is the other
interpreter.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from connector.core import limits
from connector.core.problems import Problem
from connector.core.timing import Clock
from connector.core.values import dates

_YEAR = r"(?P<year>[0-9]{4}|[0-9]{2})"
_TIME = r"(?P<hour>[0-9]{1,2})(?P<rest>:[0-9]{2}(?::[0-9]{2})?)(?: Uhr)?"
_GERMAN = re.compile(rf"(?P<day>[0-9]{{1,2}})\.(?P<month>[0-9]{{1,2}})\.{_YEAR}(?:,? {_TIME})?")
_SLASHES = re.compile(
    r"(?:([0-9]{1,2})/([0-9]{1,2})/([0-9]{4}|[0-9]{2})|([0-9]{4})/([0-9]{1,2})/([0-9]{1,2}))(?![0-9])"
)
_DAY_MONTH = re.compile(rf"(?P<day>[0-9]{{1,2}})\.?[ -]?(?P<month>[^\W\d_]{{3,}})\.?,?[ -]?{_YEAR}(?![0-9])")
_MONTH_DAY = re.compile(rf"(?P<month>[^\W\d_]{{3,}})\.? (?P<day>[0-9]{{1,2}})(?:st|nd|rd|th|\.)?,? {_YEAR}(?![0-9])")
_MONTHS = ["jan", "feb", "mar|mär|mae|mrz", "apr", "mai|may", "jun", "jul", "aug", "sep", "okt|oct", "nov", "dez|dec"]
"""How the names of the months begin, in German and in English."""
_NUMBER = re.compile(r"([0-9]+)(?:\.[0-9]+)?")
_SPREADSHEET_EPOCH = date(1899, 12, 30)
_SPREADSHEET_DAYS = range(20_000, 80_000)
"""From 1954 to 2119: what is less is more likely a year or a count."""
_MOST_YEARS = 100
"""How far a year may lie from today's."""


def read_day(value: Any, today: date | None = None) -> date:
    """Return a date, or raise `Problem`. A date-time is the day that it shows; one in UTC is its day in Berlin."""
    today = today or Clock().berlin_today()
    iso = _iso(_no_longer(value, "not_a_date", today), today)
    _check_year(value, dates.shown_day(iso), today)
    try:
        return dates.written_day(iso)
    except (ValueError, OverflowError):
        raise _unread(value, "not_a_date", today) from None


def read_instant(value: Any, today: date | None = None) -> tuple[datetime, str]:
    """Return a date-time in Berlin, and a warning by name where its hour does not exist or exists twice.

    Raises `Problem` for what is none.
    """
    today = today or Clock().berlin_today()
    iso = _iso(_no_longer(value, "not_a_date_time", today), today)
    _check_year(value, dates.shown_day(iso), today)
    try:
        moment = dates.instant(iso)
    except (ValueError, OverflowError):
        raise _unread(value, "not_a_date_time", today) from None
    return moment.astimezone(ZoneInfo(dates.BERLIN)), _clock_change(iso, moment)


def _no_longer(value: Any, otherwise: str, today: date) -> Any:
    """The value, unless it is too long for any date."""
    if isinstance(value, str) and len(value) > limits.MAX_WRITTEN_CHARACTERS:
        raise Problem(otherwise, example=today)
    return value


def _check_year(value: Any, day: date | None, today: date) -> None:
    """Refuse a year that is more likely a slip, with the one that was probably meant."""
    if day is None or _is_near(day.year, today):
        return
    meant = _days([(_century(day.year % 100, today), day.month, day.day)])
    if not meant:
        raise Problem("not_a_date", example=today)
    raise Problem("date.year_meant", written=str(value).strip(), years=_MOST_YEARS, meant=meant[0])


def _is_near(year: int, today: date) -> bool:
    return abs(year - today.year) <= _MOST_YEARS


def _century(year: int, today: date) -> int:
    """The year that ends in these two digits and is nearest to today's."""
    first = today.year - 50
    return first + (year - first) % 100


def _full_year(written: str, today: date) -> int:
    return int(written) if len(written) == 4 else _century(int(written), today)


def _iso(value: Any, today: date) -> Any:
    """A German notation as ISO 8601; anything else as it is."""
    match = _GERMAN.fullmatch(value.strip()) if isinstance(value, str) else None
    if not match:
        return value
    day = f"{_full_year(match['year'], today):04}-{match['month']:0>2}-{match['day']:0>2}"
    return f"{day}T{match['hour']:0>2}{match['rest']}" if match["hour"] else day


def _clock_change(written: Any, moment: datetime) -> str:
    berlin = ZoneInfo(dates.BERLIN)
    if moment.tzinfo is not berlin:  # a zone was written
        return ""
    offset = moment.utcoffset()
    if moment.replace(fold=1).utcoffset() != moment.replace(fold=0).utcoffset():
        return "date_time.twice"
    an_hour_before = (moment.astimezone(UTC) - timedelta(hours=1)).astimezone(berlin)
    return "date_time.skipped" if an_hour_before.utcoffset() != offset and _hour(written) != moment.hour else ""


def _hour(written: Any) -> int:
    return int(written.strip()[11:13] or 0) if isinstance(written, str) else getattr(written, "hour", 0)


def _unread(value: Any, otherwise: str, today: date) -> Problem:
    """The refusal of a notation that is not read, with the day that was probably meant."""
    written = str(value).strip()
    try:
        meant = sorted({day for day in _meant(written, today) if _is_near(day.year, today)})
    except (ValueError, OverflowError):
        meant = []
    match meant:
        case [day]:
            return Problem("date.month_name" if _named(written) else "date.misreadable", written=written, meant=day)
        case [first, second]:
            return Problem("date.two_readings", written=written, first=first, second=second)
        case _:
            return Problem(otherwise, example=today)


def _meant(written: str, today: date) -> list[date]:
    slashes = _SLASHES.match(written)
    if slashes:
        first, second, year, *iso = slashes.groups()
        if iso[0]:
            return _days([tuple(map(int, iso))])
        full = _full_year(year, today)
        return _days([(full, int(second), int(first)), (full, int(first), int(second))])
    named = _named(written)
    if named:
        name = named["month"].lower()
        months = [number for number, begins in enumerate(_MONTHS, 1) if name.startswith(tuple(begins.split("|")))]
        return _days([(_full_year(named["year"], today), month, int(named["day"])) for month in months])
    number = _NUMBER.fullmatch(written)
    if not number:
        return []
    digits = number[1]
    match len(digits):
        case 5 if int(digits) in _SPREADSHEET_DAYS:
            return [_SPREADSHEET_EPOCH + timedelta(days=int(digits))]
        case 8:
            return _days([(int(digits[:4]), int(digits[4:6]), int(digits[6:]))])
        case 9 | 10:
            return [_berlin_day(int(digits))]
        case 12 | 13:
            return [_berlin_day(int(digits) / 1000)]
        case _:
            return []


def _named(written: str) -> re.Match[str] | None:
    """The parts of a date whose month is a name."""
    return _DAY_MONTH.match(written) or _MONTH_DAY.match(written)


def _days(parts: list[tuple[int, ...]]) -> list[date]:
    """The days that exist of these."""
    days = []
    for year, month, day in parts:
        with suppress(ValueError):
            days.append(date(year, month, day))
    return days


def _berlin_day(seconds: float) -> date:
    return datetime.fromtimestamp(seconds, UTC).astimezone(ZoneInfo(dates.BERLIN)).date()
