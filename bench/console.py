"""How soon a page of the console can be used, against a bare NiceGUI page with the same table."""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.processes import module, process

CHROMIUM = "/usr/bin/chromium-headless-shell"
PLACE = "money/trial-balance"
CLIENT = "Nordlicht"
ROUNDS = 7
ROWS = 50
# Interactive: the rows are drawn, and what is pressed reaches the server.
READY = "(least) => window.did_handshake && document.querySelectorAll('tbody tr').length >= least && performance.now()"
CELLS = """() => [[...document.querySelectorAll('.data-table th')].map(one => one.innerText),
  [...document.querySelectorAll('.data-table tbody tr')].map(row => [...row.cells].map(
    one => one.querySelector('.value').innerText))]"""


def ready_ratio() -> float:
    """The time until the trial balance can be used, divided by that of a bare page with the same rows."""
    with _browser() as browser, _console() as link:
        page = browser.new_context(locale="en-US", viewport={"width": 1440, "height": 900}).new_page()
        page.goto(link)
        page.locator("form button").click()
        page.locator("main h1").wait_for()
        ours = f"{link.partition('?')[0]}/{PLACE}"
        _read_once(page, ours)
        table = json.dumps(page.evaluate(CELLS))
        with module("servers.bare_page", table) as bare:
            for url in (ours, bare):
                _milliseconds(page, url)
            return statistics.median(_milliseconds(page, ours) / _milliseconds(page, bare) for _ in range(ROUNDS))


def _read_once(page: Any, url: str) -> None:
    """Fill in the form of the page and read, so that there is an answer to show."""
    page.goto(url)
    for label, option in (("Ledger connection", CLIENT), ("Start of the fiscal year", "")):
        page.get_by_role("combobox", name=label).click()
        page.get_by_role("option").filter(has_text=option).first.click()
        page.get_by_role("listbox").wait_for(state="detached")
    page.get_by_role("button", name="Read now").click()
    page.locator(".data-table tbody tr").nth(ROWS).wait_for()


def _milliseconds(page: Any, url: str) -> float:
    page.goto(url, wait_until="commit")
    return float(page.wait_for_function(READY, arg=ROWS).json_value())


@contextlib.contextmanager
def _console() -> Iterator[str]:
    """Run a host with its console and a sandbox; yield the link that signs in."""
    with tempfile.TemporaryDirectory() as data:
        kontor = str(Path(sys.executable).parent / "kontor")
        env = {**os.environ, "KONTOR_DATA": data}
        with process([kontor, "serve", "--sandbox", "--json", "--port", "0"], env) as told:
            yield json.loads(told)["url"]


@contextlib.contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()
