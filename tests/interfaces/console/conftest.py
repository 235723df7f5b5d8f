"""A real Chromium in front of a real host. Without a browser these tests are skipped, saying so; in CI they fail."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from console_stage import Stage, running_stage
from visitor import SCREENSHOTS, Visitor

CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Beside a walk that went wrong stands what the visitor saw last."""
    report = yield
    if report.when == "call" and report.failed:
        for visitor in item.funcargs.values():
            if isinstance(visitor, Visitor):
                report.sections.append(("What the visitor saw last", visitor.last_seen()))
    return report


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with running_stage(tmp_path) as stage:
        yield stage


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    problem = None
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        problem = "Playwright is not installed"
    if problem is None and not Path(CHROMIUM).exists():
        problem = f"there is no browser at {CHROMIUM}"
    if problem is not None:
        if os.environ.get("CI") == "true":
            pytest.fail(problem)
        pytest.skip(problem)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def visitor(stage: Stage, browser: Any) -> Iterator[Visitor]:
    """An English visitor at a desk."""
    with Visitor(stage, browser, SCREENSHOTS, locale="en-US", width=1280) as visitor:
        yield visitor


@pytest.fixture
def german_visitor(stage: Stage, browser: Any) -> Iterator[Visitor]:
    with Visitor(stage, browser, SCREENSHOTS, locale="de-DE", width=1280) as visitor:
        yield visitor


@pytest.fixture
def phone_visitor(stage: Stage, browser: Any) -> Iterator[Visitor]:
    with Visitor(stage, browser, SCREENSHOTS, locale="en-US", width=390) as visitor:
        yield visitor
