"""What Kontor prints can be entered again."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.core.data import localize
from connector.core.problems import Problem
from connector.core.values.written_dates import read_day, read_instant
from connector.core.values.written_numbers import Misread, read_number

LANGUAGES = st.sampled_from(["en", "de"])
AMOUNTS = st.decimals(min_value=-(10**12), max_value=10**12, allow_nan=False, places=2) | st.builds(
    lambda units, scale: Decimal(units).scaleb(-scale), st.integers(-(10**17), 10**17), st.integers(0, 8)
)


@given(AMOUNTS, LANGUAGES, st.integers(0, 4))
def test_a_printed_amount_reads_back_equal(amount: Decimal, lang: str, decimals: int) -> None:
    assert read_number(localize.amount(amount, lang, decimals)) == (amount, "")
    assert read_number(f"{localize.amount(amount, lang, decimals)} EUR") == (amount, "EUR")


@given(AMOUNTS | st.integers(-(10**30), 10**30), LANGUAGES)
def test_a_printed_number_reads_back_equal(number: Decimal | int, lang: str) -> None:
    assert read_number(localize.number(number, lang)) == (number, "")


@given(st.dates(date(1926, 1, 1), date(2126, 12, 31)), LANGUAGES)
def test_a_printed_day_reads_back_equal(day: date, lang: str) -> None:
    assert read_day(localize.day(day, lang), today=date(2026, 5, 4)) == day


@given(st.dates(date(1900, 1, 1), date(2100, 12, 31)), st.dates(date(1951, 1, 1), date(2050, 12, 31)))
def test_a_year_of_two_digits_is_in_the_century_nearest_to_today(today: date, day: date) -> None:
    try:
        read = read_day(f"{day.day}.{day.month}.{day:%y}", today)
    except Problem:
        assert (day.month, day.day) == (2, 29)  # which not every century has
        return
    assert (read.day, read.month, read.year % 100) == (day.day, day.month, day.year % 100)
    assert abs(read.year - today.year) <= 50


@given(st.integers(10**7, 6 * 10**7), LANGUAGES)
def test_a_printed_time_reads_back_equal_or_with_a_warning(minutes: int, lang: str) -> None:
    minute = datetime.fromtimestamp(minutes * 60, UTC)
    read, warning = read_instant(localize.date_time(minute, lang))
    assert read == minute or warning == "date_time.twice"


@given(st.integers(1, 999), st.integers(0, 999), st.sampled_from(".,"))
def test_a_notation_is_refused_whole_whatever_its_value(whole: int, rest: int, separator: str) -> None:
    with pytest.raises(Misread):
        read_number(f"{whole}{separator}{rest:03}")
