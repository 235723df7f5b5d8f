"""Numbers, amounts, days and times as people read them, in English or German; times are those of Europe/Berlin.

Days are written so that they cannot be misread: 2026-05-31 in English, 31.05.2026 in German. What stands here can be
entered again in a form: so a number without decimals is not grouped, since 1.234 may be read in two ways.

Babel is imported at the first use: commands that show no number start without it.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal, localcontext
from zoneinfo import ZoneInfo

from connector.core.values import dates

ZONE = "Europe/Berlin"
USUAL_DECIMALS = 2
AMBIGUOUS_DECIMALS = 3
"""With one separator in front of three digits nobody knows whether it groups or begins the decimals."""
DAY = {"en": "yyyy-MM-dd", "de": "dd.MM.yyyy"}
TIME_OF_DAY = "HH:mm:ss"
MINUTE = "HH:mm"


def amount(value: Decimal, lang: str, decimals: int = USUAL_DECIMALS) -> str:
    """An amount with at least so many decimals and never fewer than it has: 1,234.50 or 1.234,50."""
    own = len(_plain(value).partition(".")[2])
    return _format(value, lang, max(decimals, own), grouped=True)


def number(value: Decimal | int, lang: str) -> str:
    """A number that is no money, such as one of credits: not grouped, and without zeros at its end."""
    exact = Decimal(value)
    return _format(exact, lang, len(_plain(exact).partition(".")[2].rstrip("0")), grouped=False)


def day(value: date, lang: str) -> str:
    """A plain date."""
    from babel.dates import format_date

    return format_date(value, DAY[_locale(lang)], locale=_locale(lang))


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
