"""Days are days, points in time have a zone, and Berlin is assumed where none is given."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.core.values.dates import day, instant, iso


@pytest.mark.conforms("cash_book_entry.point_in_time")
@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("2026-01-15T10:00:00", "2026-01-15T10:00:00+01:00"),
        ("2026-07-15T10:00:00", "2026-07-15T10:00:00+02:00"),
        ("2026-03-29T01:59:59", "2026-03-29T01:59:59+01:00"),
        ("2026-03-29T03:00:00", "2026-03-29T03:00:00+02:00"),
        ("2026-10-25T01:59:59", "2026-10-25T01:59:59+02:00"),
        ("2026-10-25T03:00:00", "2026-10-25T03:00:00+01:00"),
        ("2026-05-01T10:00", "2026-05-01T10:00:00+02:00"),
    ],
)
def test_a_time_without_a_zone_is_berlin_time(text: str, written: str) -> None:
    assert iso(instant(text)) == written


def test_the_hour_that_autumn_repeats_is_the_first_one() -> None:
    assert iso(instant("2026-10-25T02:30:00")) == "2026-10-25T02:30:00+02:00"


def test_the_hour_that_spring_skips_is_read_behind_the_change() -> None:
    assert iso(instant("2026-03-29T02:30:00")) == "2026-03-29T03:30:00+02:00"


def test_a_date_alone_is_midnight_in_berlin() -> None:
    assert iso(instant("2026-05-01")) == iso(instant(date(2026, 5, 1))) == "2026-05-01T00:00:00+02:00"


@given(st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2090, 1, 1)))  # noqa: DTZ001 - without a zone
def test_reading_what_was_written_gives_the_same_instant(naive: datetime) -> None:
    moment = instant(naive)
    assert moment.utcoffset() in (timedelta(hours=1), timedelta(hours=2))
    # In the hour that autumn repeats, Python calls times of two zones unequal whatever they are.
    assert instant(iso(moment)).timestamp() == moment.timestamp()


@pytest.mark.conforms("conventions.timestamps")
@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-05-01T10:00:00Z", datetime(2026, 5, 1, 10, tzinfo=UTC)),
        ("2026-05-01t10:00:00z", datetime(2026, 5, 1, 10, tzinfo=UTC)),
        ("2026-05-01 10:00:00-00:00", datetime(2026, 5, 1, 10, tzinfo=UTC)),
        ("2026-05-01T10:00:00+0530", datetime(2026, 5, 1, 10, tzinfo=timezone(timedelta(hours=5, minutes=30)))),
        ("2026-05-01T10:00:00-03", datetime(2026, 5, 1, 10, tzinfo=timezone(timedelta(hours=-3)))),
        ("2026-05-01T10:00:00.123456789Z", datetime(2026, 5, 1, 10, 0, 0, 123456, tzinfo=UTC)),
        ("2026-05-01T10:00:00.5Z", datetime(2026, 5, 1, 10, 0, 0, 500000, tzinfo=UTC)),
        ("2026-12-31T23:59:60Z", datetime(2027, 1, 1, tzinfo=UTC)),
    ],
)
def test_the_notations_of_a_point_in_time(text: str, moment: datetime) -> None:
    assert instant(text) == moment


@pytest.mark.conforms("conventions.timestamps")
def test_a_given_offset_is_kept() -> None:
    assert iso(instant("2026-05-01T10:00:00-07:00")) == "2026-05-01T10:00:00-07:00"


@pytest.mark.parametrize(
    "value",
    [
        "",
        "gestern",
        "01.05.2026 10:00",
        "2026-05-01T25:00:00Z",
        "2026-05-01T10:61:00Z",
        "2026-05-01T10:00:61Z",
        "2026-02-30T10:00:00Z",
        "2026-05-01T10:00:00+24:00",
        "2026-05-01T10:00:00+01:75",
        "0001-01-01T00:00:00",
        date(1, 1, 1),
        1714550400,
        None,
    ],
)
def test_what_is_no_point_in_time_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"there is no such|RFC 3339"):
        instant(value)


@pytest.mark.conforms("conventions.dates")
def test_a_day_is_read_as_a_day() -> None:
    assert day("2026-05-01") == day(date(2026, 5, 1)) == date(2026, 5, 1)


@pytest.mark.conforms("conventions.dates")
@pytest.mark.parametrize(
    "value", ["2026-5-1", "20260501", "01.05.2026", "2026-02-30", "2026-05-01T25:00:00Z", "٢٠٢٦-05-01", 20260501, None]
)
def test_what_is_no_day_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"YYYY-MM-DD|no such"):
        day(value)


@pytest.mark.parametrize(
    "value",
    ["2026-03-31T22:00:00Z", "2026-04-01T00:00:00+02:00", "2026-04-01T23:59", datetime(2026, 3, 31, 22, tzinfo=UTC)],
)
def test_a_point_in_time_is_its_day_in_berlin(value: Any) -> None:
    assert day(value) == date(2026, 4, 1)
