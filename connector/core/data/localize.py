"""Values as people read them, in English or German: numbers, amounts, days, times, choices; times are Berlin's.

Days are written so that they cannot be misread: 2026-05-31 in English, 31.05.2026 in German. What stands here can be
entered again in a form: so a number without decimals is not grouped, since 1.234 may be read in two ways.

Babel is imported at the first use: commands that show no number start without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal, localcontext
from typing import Any
from zoneinfo import ZoneInfo

from connector.core.messages import Text, say
from connector.core.values import currencies, dates

Words = Mapping[str, Mapping[str, Mapping[str, str]]]
"""What known values are called, by set, value and language."""

ZONE = "Europe/Berlin"
USUAL_DECIMALS = 2
AMBIGUOUS_DECIMALS = 3
"""With one separator in front of three digits nobody knows whether it groups or begins the decimals."""
DAY = {"en": "yyyy-MM-dd", "de": "dd.MM.yyyy"}
TIME_OF_DAY = "HH:mm:ss"
MINUTE = "HH:mm"
_PLAIN_DAY = re.compile(r"(.{4})-([0-9]{2})-([0-9]{2})")


def amount(value: Decimal, lang: str, decimals: int = USUAL_DECIMALS) -> str:
    """An amount with at least so many decimals and never fewer than it has: 1,234.50 or 1.234,50."""
    own = len(_plain(value).partition(".")[2])
    return _format(value, lang, max(decimals, own), grouped=True)


def money(value: Decimal, currency: Any, lang: str) -> str:
    """An amount with at least the decimals of its currency; of one that is not known, as many as it has."""
    code = currencies.code_of(currency) if isinstance(currency, str) and currency else None
    return amount(value, lang, currencies.decimals(code) if code else 0)


def number(value: Decimal | int, lang: str) -> str:
    """A number that is no money, such as one of credits: not grouped, and without zeros at its end."""
    exact = Decimal(value)
    return _format(exact, lang, len(_plain(exact).partition(".")[2].rstrip("0")), grouped=False)


def count(value: int, lang: str) -> str:
    """How many there are, in groups of three; only to be read, since 1.234 in a form may mean two things."""
    from babel.numbers import format_decimal

    return format_decimal(value, "#,##0", locale=_locale(lang))


def boolean(value: bool, lang: str) -> str:
    """Yes or no."""
    return say("yes" if value else "no").in_(_locale(lang))


def word(value: str, words: Mapping[str, Mapping[str, str]], lang: str) -> str:
    """What a known value is called; any other as it is."""
    return words[value][_locale(lang)] if value in words else value


def day(value: date, lang: str) -> str:
    """A plain date."""
    from babel.dates import format_date

    return format_date(value, DAY[_locale(lang)], locale=_locale(lang))


def day_of(text: str, lang: str) -> str:
    """The day of a text that is a date or, in Berlin, of a point in time; of any other text what stands in its place.

    A year may be a stand-in of four signs, which a platform replaces later.
    """
    if "T" in text:
        try:
            return day(dates.day(text), lang)
        except (ValueError, OverflowError):
            pass
    parts = _PLAIN_DAY.fullmatch(text[:10])
    return ".".join(reversed(parts.groups())) if parts and _locale(lang) == "de" else text[:10]


def date_time(moment: datetime, lang: str) -> str:
    """A point in time, to the minute."""
    from babel.dates import format_datetime

    pattern = f"{DAY[_locale(lang)]} {MINUTE}"
    return format_datetime(dates.instant(moment), pattern, tzinfo=ZoneInfo(ZONE), locale=_locale(lang))


def time_of_day(moment: datetime, lang: str) -> str:
    """The time of a day, to the second."""
    from babel.dates import format_datetime

    return format_datetime(dates.instant(moment), TIME_OF_DAY, tzinfo=ZoneInfo(ZONE), locale=_locale(lang))


def relative(passed: timedelta, lang: str) -> str:
    """How long ago something was or, if negative, how soon it will be, in its largest unit of which there are two."""
    from babel.dates import format_timedelta

    return format_timedelta(-passed, threshold=2, add_direction=True, locale=_locale(lang))


def zoned(moment: datetime, lang: str) -> str:
    """A point in time as it was given, to the minute, with its distance from UTC: where two may look alike."""
    own = dates.instant(moment)
    return f"{day(own.date(), lang)} {own:%H:%M} (UTC{own.isoformat()[-6:]})"


def credits(count: Decimal | int, lang: str) -> str:
    """A number of credits in words: free, 1 credit, 5 credits."""
    if not count:
        return say("cost_free").in_(_locale(lang))
    words = say("cost_one") if count == 1 else say("cost_many", credits=number(count, lang))
    return words.in_(_locale(lang))


def in_both(write: Callable[..., str], *values: Any) -> Text:
    """What a function of this module writes, in both languages, as a blank of a sentence takes it."""
    return Text(write(*values, "en"), write(*values, "de"))


def blanks(values: Mapping[str, Any]) -> dict[str, Any]:
    """What fills the blanks of a sentence: amounts, with the decimals that they have, and days in both languages."""
    return {name: _blank(value) for name, value in values.items()}


def _blank(value: Any) -> Any:
    if isinstance(value, Decimal):
        return Text(amount(value, "en", 0), amount(value, "de", 0))
    if isinstance(value, datetime):
        return in_both(date_time, value)
    return in_both(day, value) if isinstance(value, date) else value


def text(value: str, lang: str) -> str:
    """A text that is a day or a point in time, as people read that; any other text as it is."""
    try:
        if len(value) == len("2026-05-31"):
            return day(dates.day(value), lang)
        return date_time(dates.instant(value), lang) if value[10:11] == "T" else value
    except (ValueError, OverflowError):
        return value


def _format(value: Decimal, lang: str, decimals: int, *, grouped: bool) -> str:
    from babel.numbers import format_decimal

    plain = _plain(value)
    whole = plain.partition(".")[0].lstrip("-")
    groups = grouped and decimals > 0
    if decimals == AMBIGUOUS_DECIMALS and whole != "0" and not (groups and len(whole) > 3):
        decimals += 1
    pattern = ("#,##0" if groups else "0") + ("." + "0" * decimals if decimals else "")
    with localcontext() as context:
        context.prec = len(plain) + decimals + 1  # Babel rounds to the context of the moment
        return format_decimal(value, pattern, locale=_locale(lang))


def _plain(value: Decimal) -> str:
    """All digits, without an exponent."""
    return f"{value:f}"


def _locale(lang: str) -> str:
    return "de" if lang == "de" else "en"
