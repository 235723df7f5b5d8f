"""One visitor's language: sentences, manifest texts, amounts and times as that visitor reads them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from connector.core.manifest.model import Cost
from connector.core.messages import LANGUAGES, Text, say
from connector.core.values import currencies
from connector.core.values.dates import instant
from connector.interfaces.cli.cells import AMOUNTS, CURRENCIES, NOTHING, USUAL_DECIMALS

ZONE = ZoneInfo("Europe/Berlin")


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
        return self("cost_one") if count == 1 else self("cost_many", credits=self.amount(Decimal(count), 0))

    def amount(self, value: Decimal, decimals: int = USUAL_DECIMALS) -> str:
        """An amount with at least so many decimals and never fewer than it has: 1,234.56 or 1.234,56."""
        if not decimals:
            value = value.quantize(Decimal(1)) if value == value.to_integral_value() else value.normalize()
        exponent = value.as_tuple().exponent
        own = -exponent if isinstance(exponent, int) else 0
        text = f"{value:,.{max(decimals, own)}f}"
        text = text.replace("-", "−")
        return text.translate(str.maketrans(",.", ".,")) if self.lang == "de" else text

    def moment(self, at: datetime) -> str:
        """A point in time in German time, to the minute."""
        return f"{at.astimezone(ZONE):%Y-%m-%d %H:%M}" if self.lang == "en" else f"{at.astimezone(ZONE):%d.%m.%Y %H:%M}"

    def clock_time(self, at: datetime) -> str:
        """The time of the day in German time, to the second."""
        return f"{at.astimezone(ZONE):%H:%M:%S}"

    def ago(self, at: datetime, now: datetime) -> str:
        """How long ago something was, or how soon it will be, roughly."""
        seconds = int((now - at).total_seconds())
        ahead, seconds = seconds < 0, abs(seconds)
        if seconds < 5:
            return self("now")
        for size, name in ((86_400 * 2, "days"), (7200, "hours"), (120, "minutes"), (0, "seconds")):
            if seconds >= size:
                count = seconds // {"days": 86_400, "hours": 3600, "minutes": 60, "seconds": 1}[name]
                return self(f"in_{name}" if ahead else f"ago_{name}", count=count)
        return NOTHING

    def cell(self, value: Any, name: str = "", row: Mapping[str, Any] | None = None) -> str:
        """One value of an answer as people read it."""
        match value:
            case None | "":
                return NOTHING
            case bool():
                return self("yes" if value else "no")
            case Decimal():
                return self.amount(value, _decimals(row or {}))
            case int():
                money = name.rpartition(".")[2] in AMOUNTS
                return self.amount(Decimal(value), _decimals(row or {})) if money else str(value)
            case datetime():
                return self.moment(value if value.tzinfo else value.replace(tzinfo=UTC))
            case str():
                return self._text(value)
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

    def _text(self, text: str) -> str:
        if len(text) < len("2026-05-04T10:30") or text[10] != "T":
            return text
        try:
            return self.moment(instant(text))
        except ValueError:
            return text


def _decimals(row: Mapping[str, Any]) -> int:
    code = next((row[name] for name in CURRENCIES if row.get(name)), None)
    try:
        return currencies.decimals(str(code)) if code else USUAL_DECIMALS
    except (KeyError, ValueError):
        return USUAL_DECIMALS
