"""Every day of two years, at its first and its last minute in Berlin and however it is written, is that day."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from connector.testing.cases.expectation import differences
from connector.testing.cases.files import Case
from tests.cases.in_node import run
from tests.cases.in_python import Interpreter
from tests.platforms.node import or_skip
from tests.support.made_once import made_once

BERLIN = ZoneInfo("Europe/Berlin")
DAYS = [date(2026, 1, 1) + timedelta(days=number) for number in range(365 * 2)]
TIMES = (time(0, 0), time(23, 59))
NOTATIONS: dict[str, Callable[[datetime], Any]] = {
    "in UTC": lambda moment: moment.astimezone(UTC).isoformat().replace("+00:00", "Z"),
    "with the offset": lambda moment: moment.isoformat(),
    "without a zone": lambda moment: f"{moment:%Y-%m-%d %H:%M}",
    "in German": lambda moment: f"{moment.day}.{moment.month}.{moment:%y} {moment:%H:%M}",
    "as the platform's date": lambda moment: {"$platform_date": moment.astimezone(UTC).isoformat()},
    "as a date of Luxon elsewhere": lambda moment: {
        "$luxon": moment.replace(tzinfo=ZoneInfo("America/New_York")).isoformat(timespec="milliseconds")
    },
    "with the offset of another zone": lambda moment: moment.replace(tzinfo=ZoneInfo("Asia/Tokyo")).isoformat(),
}


def _case(name: str, notation: Callable[[datetime], Any], at: time) -> Case:
    rows = [{"day": notation(datetime.combine(day, at, BERLIN))} for day in DAYS]
    read = [{"day": day.isoformat()} for day in DAYS]
    return Case("take_values", "requests", f"{at:%H:%M} {name}", {"inputs": {"rows": rows}, "read": {"rows": read}})


CASES = {
    case.name: case for at in TIMES for case in (_case(name, notation, at) for name, notation in NOTATIONS.items())
}


@cache
def interpreter() -> Interpreter:
    return Interpreter()


@pytest.fixture(scope="module")
def told_by_node(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with or_skip():
        return made_once(tmp_path_factory, "days", lambda folder: run(CASES.values(), interpreter(), folder))


@pytest.mark.parametrize("name", CASES)
def test_every_day_is_that_day_in_python(name: str) -> None:
    assert differences(CASES[name], interpreter().run(CASES[name])) == []


@pytest.mark.parametrize("name", CASES)
def test_every_day_is_that_day_in_node(name: str, told_by_node: dict[str, Any]) -> None:
    assert differences(CASES[name], told_by_node[CASES[name].key]) == []
