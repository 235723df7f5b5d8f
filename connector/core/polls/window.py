"""The ids that a trigger has seen in a window, by the day on which the service says that each row came in.

A row of a day inside the window is new when its id is not among them, wherever the id stands: a row that shows late
under a lower id is new, and so are rows whose ids begin anew. As text: the last day that is known by position only,
then each day with its ids, the first one whole and each other as the distance to the one before:
`2026-05-01;2026-05-03:5001.1.4;2026-05-04:5010`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any

from connector.core.values.ids import MAX_DIGITS

MAX_DAYS = 14
"""Days with rows that are kept; further ones while a row of them is waited for."""
MAX_IDS = 5_000
_DAY, _ID = r"[0-9]{4}-[0-9]{2}-[0-9]{2}", rf"[0-9]{{1,{MAX_DIGITS}}}"
FORM = rf"(?:{_DAY})?(?:;{_DAY}:{_ID}(?:\.{_ID})*)*"
_STARTS_WITH_DAY = re.compile(_DAY)


@dataclass(frozen=True, slots=True)
class Window:
    """It is never changed; `with_rows` gives the next one."""

    since: str = ""
    """The last day of which not every id is known; empty when all are known."""
    days: Mapping[str, frozenset[int]] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> Window:
        """Reads a text that has the form."""
        since, *entries = text.split(";")
        pairs = (entry.split(":") for entry in entries)
        return cls(since, {day: frozenset(accumulate(map(int, ids.split(".")))) for day, ids in pairs})

    def __str__(self) -> str:
        return ";".join([self.since, *(f"{day}:{_distances(self.days[day])}" for day in sorted(self.days))])

    @property
    def ids(self) -> frozenset[int]:
        """All ids in it."""
        return frozenset().union(*self.days.values())

    def has(self, number: int, day: str) -> bool:
        """Whether the row was seen; a day that is written in another zone may be one off."""
        return any(number in self.days.get(near, ()) for near in _near(day))

    def with_rows(self, shown: Mapping[int, str], waiting: Collection[int], without: Collection[int] = ()) -> Window:
        """After these ids were seen on these days. The oldest days are dropped first, but none that is waited for."""
        days = {day: left for day, ids in self.days.items() if (left := set(ids).difference(without))}
        for number, day in shown.items():
            if day > self.since and not self.has(number, day):
                days.setdefault(day, set()).add(number)
        since, waited, count = self.since, set(waiting), sum(map(len, days.values()))
        for day in sorted(days)[:-1]:
            too_many = count > MAX_IDS
            if not too_many and (len(days) <= MAX_DAYS or not waited.isdisjoint(days[day])):
                break
            since, count = day, count - len(days.pop(day))
        return Window(since, {day: frozenset(ids) for day, ids in days.items()})


def day_of(value: Any) -> str | None:
    """The day of a date-time as it is written; None when it is none."""
    match = _STARTS_WITH_DAY.match(value) if isinstance(value, str) else None
    return match[0] if match and _near(match[0]) else None


@lru_cache(maxsize=256)
def _near(day: str) -> tuple[str, ...]:
    try:
        middle = date.fromisoformat(day)
        return tuple((middle + timedelta(days=off)).isoformat() for off in (-1, 0, 1))
    except (ValueError, OverflowError):
        return ()


def _distances(ids: Collection[int]) -> str:
    ordered = sorted(ids)
    return ".".join(map(str, [ordered[0], *(later - earlier for earlier, later in pairwise(ordered))]))
