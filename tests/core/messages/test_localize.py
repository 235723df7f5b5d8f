"""Numbers and times as people read them: no digit is lost, and nothing can be read in two ways."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.core.data import localize

LANGUAGES = st.sampled_from(["en", "de"])
NUMBERS = st.builds(
    lambda digits, exponent, negative: Decimal((negative, digits, exponent)),
    st.lists(st.integers(0, 9), min_size=1, max_size=34).map(tuple),
    st.integers(-34, 30),
    st.integers(0, 1),
)
TWO_READINGS = re.compile(r"-?[1-9][0-9]*[.,][0-9]{3}")


def read(text: str, lang: str) -> Decimal:
    group, point = (".", ",") if lang == "de" else (",", ".")
    return Decimal(text.replace(group, "").replace(point, "."))


@given(NUMBERS, LANGUAGES, st.integers(0, 4))
def test_an_amount_keeps_all_its_digits(value: Decimal, lang: str, decimals: int) -> None:
    shown = localize.amount(value, lang, decimals)
    assert read(shown, lang) == value
    assert len(shown.rpartition("," if lang == "de" else ".")[2]) >= decimals
    assert not TWO_READINGS.fullmatch(shown)


@given(NUMBERS, LANGUAGES)
def test_a_number_keeps_its_value_and_is_not_grouped(value: Decimal, lang: str) -> None:
    shown = localize.number(value, lang)
    assert read(shown, lang) == value
    assert re.fullmatch(r"-?[0-9]+([.,][0-9]+)?", shown)
    assert not TWO_READINGS.fullmatch(shown)


@given(st.integers(), LANGUAGES)
def test_an_integer_is_its_digits(value: int, lang: str) -> None:
    assert localize.number(value, lang) == str(value)


def test_the_callers_context_does_not_round() -> None:
    with localcontext() as context:
        context.prec = 3
        assert localize.amount(Decimal("123456.789"), "de") == "123.456,789"


@pytest.mark.parametrize(
    ("value", "decimals", "en", "de"),
    [
        ("1234.5", 2, "1,234.50", "1.234,50"),
        ("-1234567.891", 2, "-1,234,567.891", "-1.234.567,891"),
        ("1E+3", 2, "1,000.00", "1.000,00"),
        ("1500", 0, "1500", "1500"),
        ("0.125", 3, "0.125", "0,125"),
        ("12.500", 3, "12.5000", "12,5000"),
        ("1012.500", 3, "1,012.500", "1.012,500"),
    ],
)
def test_amounts_in_both_languages(value: str, decimals: int, en: str, de: str) -> None:
    assert localize.amount(Decimal(value), "en", decimals) == en
    assert localize.amount(Decimal(value), "de", decimals) == de


def test_a_number_drops_zeros_that_say_nothing() -> None:
    assert localize.number(Decimal("1200.50"), "en") == "1200.5"
    assert localize.number(Decimal("1200.50"), "de") == "1200,5"
    assert localize.number(Decimal("1.2E+3"), "de") == "1200"


def test_days_and_times_are_those_of_berlin() -> None:
    midnight = datetime(2026, 3, 31, 22, 0, 5, tzinfo=UTC)
    assert localize.day(date(2026, 4, 1), "en") == "2026-04-01"
    assert localize.day(date(2026, 4, 1), "de") == "01.04.2026"
    assert localize.date_time(midnight, "en") == "2026-04-01 00:00"
    assert localize.date_time(midnight, "de") == "01.04.2026 00:00"
    assert localize.time_of_day(midnight, "en") == localize.time_of_day(midnight, "de") == "00:00:05"


@pytest.mark.parametrize(
    ("passed", "en", "de"),
    [
        (timedelta(seconds=40), "40 seconds ago", "vor 40 Sekunden"),
        (timedelta(minutes=119), "119 minutes ago", "vor 119 Minuten"),
        (timedelta(hours=2), "2 hours ago", "vor 2 Stunden"),
        (timedelta(days=3), "3 days ago", "vor 3 Tagen"),
        (timedelta(minutes=-5), "in 5 minutes", "in 5 Minuten"),
    ],
)
def test_how_long_ago_and_how_soon(passed: timedelta, en: str, de: str) -> None:
    assert localize.relative(passed, "en") == en
    assert localize.relative(passed, "de") == de


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("2026-05-31", "31.05.2026"),
        ("2026-05-04T08:31:12+00:00", "04.05.2026 10:31"),
        ("2026-02-31", "2026-02-31"),
        ("2026-05-04T99:31", "2026-05-04T99:31"),
        ("9999-12-31T23:59:00Z", "9999-12-31T23:59:00Z"),
        ("Miete 2026", "Miete 2026"),
        ("", ""),
    ],
)
def test_only_a_text_that_is_a_day_or_a_time_is_written_anew(value: str, shown: str) -> None:
    assert localize.text(value, "de") == shown
