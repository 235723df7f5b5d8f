"""One visitor's language: sentences, manifest texts, amounts and times as that visitor reads them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from connector.core import localize
from connector.core.localize import USUAL_DECIMALS
from connector.core.manifest.model import Cost
from connector.core.messages import LANGUAGES, Text, say
from connector.interfaces.cli.cells import AMOUNTS, NOTHING, decimals_of

MINUS = "−"
JUST_NOW = timedelta(seconds=5)


@dataclass(frozen=True, slots=True)
class Localizer:
    """Called with the name of a sentence and what fills its blanks."""

    lang: str = "en"

    @classmethod
    def chosen(cls, cookie: str | None, accepted: str | None) -> Localizer:
        """By the visitor's own choice, else by the browser's languages, else by `KONTOR_LANG`."""
        if cookie in LANGUAGES:
            return cls(str(cookie))
        for part in (accepted or "").split(","):
            code = part.partition(";")[0].strip().lower()[:2]
            if code in LANGUAGES:
                return cls(code)
        return cls("de" if os.environ.get("KONTOR_LANG", "").lower().startswith("de") else "en")

    def __call__(self, name: str, /, **values: Any) -> str:
        """The sentence called `name`, with its blanks filled in."""
        return say(name, **values).in_(self.lang)

    def of(self, text: Text) -> str:
        """A manifest's or an error's sentence."""
        return text.in_(self.lang)

    def cost(self, cost: Cost) -> str:
        """What a call costs, in a few words."""
        words = self.credits(cost.credits)
        if cost.settles_later:
            words = self("cost_settles_later", credits=words)
        return f"{words} *" if cost.assumed else words

    def credits(self, count: Decimal | int) -> str:
        """A number of credits in words."""
        if not count:
            return self("cost_free")
        return self("cost_one") if count == 1 else self("cost_many", credits=self.number(count))

    def amount(self, value: Decimal, decimals: int = USUAL_DECIMALS) -> str:
        """An amount with at least so many decimals and never fewer than it has: 1,234.56 or 1.234,56."""
        return localize.amount(value, self.lang, decimals).replace("-", MINUS)

    def number(self, value: Decimal | int) -> str:
        """A number that is no money, such as one of credits."""
        return localize.number(value, self.lang).replace("-", MINUS)

    def day(self, day: date) -> str:
        """A plain date."""
        return localize.day(day, self.lang)

    def moment(self, at: datetime) -> str:
        """A point in time in German time, to the minute."""
        return localize.date_time(at, self.lang)

    def clock_time(self, at: datetime) -> str:
        """The time of the day in German time, to the second."""
        return localize.time_of_day(at, self.lang)

    def ago(self, at: datetime, now: datetime) -> str:
        """How long ago something was, or how soon it will be, roughly."""
        return self("now") if abs(now - at) < JUST_NOW else localize.relative(now - at, self.lang)

    def cell(self, value: Any, name: str = "", row: Mapping[str, Any] | None = None) -> str:
        """One value of an answer as people read it."""
        match value:
            case None | "":
                return NOTHING
            case bool():
                return self("yes" if value else "no")
            case Decimal():
                return self.amount(value, decimals_of(row or {}))
            case int():
                money = name.rpartition(".")[2] in AMOUNTS
                return self.amount(Decimal(value), decimals_of(row or {})) if money else str(value)
            case datetime():
                return self.moment(value if value.tzinfo else value.replace(tzinfo=UTC))
            case str():
                return localize.text(value, self.lang)
            case Mapping() if value.get("sollHabenKennzeichen") in {"SOLL", "HABEN"} and "betrag" in value:
                side = self("console_side_soll" if value["sollHabenKennzeichen"] == "SOLL" else "console_side_haben")
                return f"{self.cell(value['betrag'], 'betrag', row)} {side}"
            case Mapping():
                parts = (f"{key}: {self.cell(item, key, value)}" for key, item in value.items() if item is not None)
                return ", ".join(parts) or NOTHING
            case list() | tuple():
                return ", ".join(self.cell(item) for item in value) or NOTHING
            case _:
                return str(value)
