"""Dates and date-times as people and platforms write them. `docs/vocabulary.md` lists what is read and refused.

What may be misread (slashes, `20261231`, the day numbers of spreadsheets, Unix times) is refused with the day that was
probably meant. `connector/export/node/core/written_dates.ts` is the other interpreter.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from connector.core.values import dates
from connector.core.values.misfit import Misfit

_TIME = r"(?P<hour>[0-9]{1,2})(?P<rest>:[0-9]{2}(?::[0-9]{2})?)(?: Uhr)?"
_GERMAN = re.compile(rf"(?P<day>[0-9]{{1,2}})\.(?P<month>[0-9]{{1,2}})\.(?P<year>[0-9]{{4}}|[0-9]{{2}})(?:,? {_TIME})?")
_SLASHES = re.compile(
    r"(?:([0-9]{1,2})/([0-9]{1,2})/([0-9]{4}|[0-9]{2})|([0-9]{4})/([0-9]{1,2})/([0-9]{1,2}))(?![0-9])"
)
_NUMBER = re.compile(r"([0-9]+)(?:\.[0-9]+)?")
_SPREADSHEET_EPOCH = date(1899, 12, 30)
_SPREADSHEET_DAYS = range(20_000, 80_000)
"""From 1954 to 2119: what is less is more likely a year or a count."""


def read_day(value: Any) -> date:
    """Return a date, or raise `Misfit`. A date-time is its day in Europe/Berlin."""
    try:
        return dates.day(_iso(value))
    except (ValueError, OverflowError):
        raise _misfit(value, "not_a_date") from None


def read_instant(value: Any) -> tuple[datetime, str]:
    """Return a date-time, and a warning by name where its hour does not exist or exists twice, or raise `Misfit`."""
    iso = _iso(value)
    try:
        moment = dates.instant(iso)
    except (ValueError, OverflowError):
        raise _misfit(value, "not_a_date_time") from None
    return moment, _clock_change(iso, moment)


def _iso(value: Any) -> Any:
    """A German notation as ISO 8601; anything else as it is."""
    found = _GERMAN.fullmatch(value.strip()) if isinstance(value, str) else None
    if not found:
        return value
    year = found["year"] if len(found["year"]) == 4 else f"20{found['year']}"
    day = f"{year}-{found['month']:0>2}-{found['day']:0>2}"
    return f"{day}T{found['hour']:0>2}{found['rest']}" if found["hour"] else day


def _clock_change(written: Any, moment: datetime) -> str:
    berlin = ZoneInfo("Europe/Berlin")
    if moment.tzinfo is not berlin:  # a zone was written
        return ""
    offset = moment.utcoffset()
    if moment.replace(fold=1).utcoffset() != moment.replace(fold=0).utcoffset():
        return "date_time.twice"
    an_hour_before = (moment.astimezone(UTC) - timedelta(hours=1)).astimezone(berlin)
    return "date_time.skipped" if an_hour_before.utcoffset() != offset and _hour(written) != moment.hour else ""


def _hour(written: Any) -> int:
    return int(written.strip()[11:13] or 0) if isinstance(written, str) else getattr(written, "hour", 0)


def _misfit(value: Any, otherwise: str) -> Misfit:
    """The refusal of a notation that may be misread, with the day that was probably meant."""
    written = str(value).strip()
    try:
        meant = sorted(set(_meant(written)))
    except (ValueError, OverflowError):
        meant = []
    match meant:
        case [day]:
            return Misfit("date.misreadable", written=written, meant=day)
        case [first, second]:
            return Misfit("date.two_readings", written=written, first=first, second=second)
        case _:
            return Misfit(otherwise)


def _meant(written: str) -> list[date]:
    slashes = _SLASHES.match(written)
    if slashes:
        one, two, year, *iso = slashes.groups()
        if iso[0]:
            return [date(*map(int, iso))]
        full = int(year if len(year) == 4 else f"20{year}")
        return [date(full, int(m), int(d)) for d, m in ((one, two), (two, one)) if int(m) <= 12]
    number = _NUMBER.fullmatch(written)
    if not number:
        return []
    digits = number[1]
    match len(digits):
        case 5 if int(digits) in _SPREADSHEET_DAYS:
            return [_SPREADSHEET_EPOCH + timedelta(days=int(digits))]
        case 8:
            return [date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))]
        case 9 | 10:
            return [_berlin_day(int(digits))]
        case 12 | 13:
            return [_berlin_day(int(digits) / 1000)]
        case _:
            return []


def _berlin_day(seconds: float) -> date:
    return datetime.fromtimestamp(seconds, UTC).astimezone(ZoneInfo("Europe/Berlin")).date()
