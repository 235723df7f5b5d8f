"""Localizes messages, manifest texts, amounts and times for one user."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from connector.core.data import localize
from connector.core.data.localize import USUAL_DECIMALS
from connector.core.manifest.library import Library
from connector.core.manifest.model import Action, Cost, Trigger
from connector.core.messages import LANGUAGES, Text, say
from connector.interfaces.result_text import ResultText

MINUS = "−"
PLATFORM = "console"
"""Whose buttons and pages remedies name."""
JUST_NOW = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class Localizer:
    """Call it with a message name and its values."""

    lang: str = "en"

    @classmethod
    def from_request(cls, cookie: str | None, accepted: str | None) -> Localizer:
        """Choose by cookie, else by `Accept-Language`, else by `KONTOR_LANG`."""
        if cookie in LANGUAGES:
            return cls(str(cookie))
        for part in (accepted or "").split(","):
            code = part.partition(";")[0].strip().lower()[:2]
            if code in LANGUAGES:
                return cls(code)
        return cls("de" if os.environ.get("KONTOR_LANG", "").lower().startswith("de") else "en")

    def __call__(self, name: str, /, **values: Any) -> str:
        """Return the message `name` with its values filled in."""
        return self.of(say(name, **values))

    def of(self, text: Text) -> str:
        """Return a text of a manifest or an error."""
        return text.in_(self.lang, PLATFORM)

    def cost(self, cost: Cost) -> str:
        """Format the cost of a call."""
        words = self.credits(cost.credits)
        if cost.settles_later:
            words = self("cost_settles_later", credits=words)
        return f"{words} *" if cost.assumed else words

    def credits(self, count: Decimal | int) -> str:
        """Format a number of credits."""
        if not count:
            return self("cost_free")
        return self("cost_one") if count == 1 else self("cost_many", credits=self.number(count))

    def amount(self, value: Decimal, decimals: int = USUAL_DECIMALS) -> str:
        """Format an amount with at least `decimals` decimals, without rounding: 1,234.56 or 1.234,56."""
        return localize.amount(value, self.lang, decimals).replace("-", MINUS)

    def number(self, value: Decimal | int) -> str:
        """Format a number that is not money."""
        return localize.number(value, self.lang).replace("-", MINUS)

    def count(self, count: int) -> str:
        """Format how many there are, in groups of three: 10,000 or 10.000. It is not to be entered again."""
        return localize.count(count, self.lang).replace("-", MINUS)

    def day(self, day: date) -> str:
        """Format a date."""
        return localize.day(day, self.lang)

    def date_time(self, value_at: datetime) -> str:
        """Format a date-time in German time, to the minute."""
        return localize.date_time(value_at, self.lang)

    def clock_time(self, value_at: datetime) -> str:
        """Format a time of day in German time, to the second."""
        return localize.time_of_day(value_at, self.lang)

    def moment(self, value_at: datetime) -> str:
        """Format a date-time in German time, to the second."""
        return f"{self.day(value_at.astimezone(ZoneInfo(localize.ZONE)).date())} {self.clock_time(value_at)}"

    def ago(self, value_at: datetime, now: datetime) -> str:
        """Format a time relative to now, rounded."""
        return self("now") if abs(now - value_at) < JUST_NOW else localize.relative(now - value_at, self.lang)

    def format_value(self, value: Any, name: str = "", row: Mapping[str, Any] | None = None) -> str:
        """Format a value of no declared field."""
        return ResultText(self.lang, minus=MINUS).value(value, name, row)

    def result(self, library: Library, manifest: Action | Trigger) -> ResultText:
        """Return the names and values of the fields of a result."""
        return ResultText(self.lang, library, manifest, MINUS)
