"""Fixtures: Chromium and a running host. Without a browser the tests are skipped; in CI they fail."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.console.running_console import RunningConsole, running_console
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the page contents to the report of a failed browser test."""
    report = yield
    if report.when == "call" and report.failed:
        for visitor in item.funcargs.values():
            if isinstance(visitor, Visitor):
                report.sections.append(("What the visitor saw last", visitor.last_seen()))
    return report


@pytest.fixture
def console(tmp_path: Path) -> Iterator[RunningConsole]:
    with running_console(tmp_path) as console:
        yield console


@pytest.fixture(scope="session", autouse=True)
def _folder_of_pictures() -> None:
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)


@pytest.fixture
def visitor(console: RunningConsole, browser: Any) -> Iterator[Visitor]:
    """An English user on a desktop."""
    with Visitor(console, browser, SCREENSHOTS, locale="en-US", width=1280) as visitor:
        yield visitor


@pytest.fixture
def german_visitor(console: RunningConsole, browser: Any) -> Iterator[Visitor]:
    with Visitor(console, browser, SCREENSHOTS, locale="de-DE", width=1280) as visitor:
        yield visitor


@pytest.fixture
def phone_visitor(console: RunningConsole, browser: Any) -> Iterator[Visitor]:
    with Visitor(console, browser, SCREENSHOTS, locale="en-US", width=390) as visitor:
        yield visitor
