"""Tables in a real browser: amounts are never cut off, and ten thousand rows scroll."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from nicegui import ui

from connector.interfaces.console.figures.table import TableView
from connector.interfaces.console.figures.table_model import TableModel
from connector.interfaces.console.frame.page_frame import page_frame
from connector.interfaces.result_rows import table_of
from tests.interfaces.console.running_console import RunningConsole, running_console
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor

CLIENT = "Nordlicht Fahrradhandel GmbH"
MANY = 10_000
MOST_BYTES = 20 * 1024**2


@ui.page("/ten-thousand-rows")
def ten_thousand_rows() -> None:
    """A page of the test alone: a table that no sandbox would fill."""
    with page_frame("overview") as page:
        action = page.console.connector.action("list_transactions")
        rows = [
            {
                "made_on": f"2026-{1 + at % 12:02d}-{1 + at % 28:02d}",
                "amount": Decimal(at) / 100,
                "currency_code": "EUR",
                "description": f"Rechnung RE-{at:05d} Wartung und Ersatzteile der Dienstfahrräder",
                "status": "posted",
                "id": str(900_000_000_000_000_000 + at),
            }
            for at in range(MANY)
        ]
        text = page.localize.result(page.console.connector.library, action)
        TableView(page, TableModel(table_of(action, {"items": rows}, text), text), "Ten thousand")


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningConsole]:
    with running_console(tmp_path_factory.mktemp("tables")) as console:
        yield console


def heap(visitor: Visitor, session: Any) -> int:
    """The bytes that the page's script holds, after a collection."""
    session.send("HeapProfiler.collectGarbage")
    return int(session.send("Runtime.getHeapUsage")["usedSize"])


def test_ten_thousand_rows_scroll_and_the_page_stays_below_twenty_megabytes_more(visitor: Visitor) -> None:
    page = visitor.page
    session = visitor.context.new_cdp_session(page)
    visitor.open("approvals")
    before = heap(visitor, session)
    visitor.open("ten-thousand-rows")
    visitor.sees("Rows: 10,000")
    for place in (0.25, 0.5, 0.75, 1.0):
        page.evaluate(
            """(place) => { const body = document.querySelector('.data-table tbody').getBoundingClientRect();
            window.scrollBy(0, body.top + place * body.height - innerHeight / 2) }""",
            place,
        )
        expected = int(MANY * place) - 1
        page.wait_for_function(
            "(at) => [...document.querySelectorAll('.data-table tbody tr[role=row]')].some("
            "one => Math.abs(Number(one.getAttribute('aria-rowindex')) - at) < 60)",
            arg=expected,
        )
    page.get_by_text(f"RE-{MANY - 1:05d}").wait_for()
    head = page.locator(".data-table thead th").first.bounding_box()
    total = page.locator(".data-table tfoot td").first.bounding_box()
    assert head is not None
    assert total is not None
    assert 0 <= head["y"] < total["y"] < 900  # both stay in view
    assert page.locator(".data-table tbody tr").count() < 200
    assert heap(visitor, session) - before < MOST_BYTES

    page.get_by_role("button", name="Amount").click()
    page.get_by_role("button", name="Amount").click()
    page.locator(".data-table tbody tr[role=row]").first.get_by_text("99.99").wait_for()
    page.get_by_label("Filter: Ten thousand").fill("RE-04242")
    visitor.sees("Rows: 1 of 10,000")
    assert heap(visitor, session) - before < MOST_BYTES


def run_trial_balance(visitor: Visitor, connection: str, year: str, run: str) -> None:
    visitor.open("actions/get_trial_balance")
    visitor.choose(connection, CLIENT)
    visitor.page.get_by_role("combobox", name=year).click()
    first = visitor.page.get_by_role("option").first
    assert "2026" in first.inner_text()  # the first year offered is one that exists
    first.click()
    visitor.page.get_by_role("listbox").wait_for(state="detached")
    visitor.press(run)
    visitor.page.locator(".data-table").wait_for()


def cut_off(visitor: Visitor) -> list[str]:
    """The amounts that cannot be read whole, or that lie beyond what is seen without scrolling sideways."""
    return list(
        visitor.page.evaluate(
            """(() => { const frame = document.querySelector('.data-frame').getBoundingClientRect();
            return [...document.querySelectorAll('.data-table .number')]
              .filter(one => { const box = one.getBoundingClientRect();
                return box.right > frame.right + 1 || one.scrollWidth > one.clientWidth + 1 })
              .map(one => one.innerText) })()"""
        )
    )


def test_no_amount_of_a_trial_balance_is_cut_off_at_1440(console: RunningConsole, browser: Any) -> None:
    with Visitor(console, browser, SCREENSHOTS, locale="en-US", width=1440) as visitor:
        run_trial_balance(visitor, "Ledger connection", "Start of the fiscal year", "Run")
        assert cut_off(visitor) == []
        heads = visitor.page.locator(".data-table thead th").all_inner_texts()
        assert heads[-2:] == ["Balance", "Details"]
        assert not [head for head in heads if head[:1].islower() or "_" in head]
        assert visitor.page.locator(".data-table tfoot").inner_text().split()[0] == "Total"
        visitor.picture("table-trial-balance-1440")


def test_on_a_phone_each_row_is_a_card_with_its_amount(console: RunningConsole, browser: Any) -> None:
    with Visitor(console, browser, SCREENSHOTS, locale="de-DE", width=390) as visitor:
        run_trial_balance(visitor, "Verbindung zur Buchhaltung", "Beginn des Geschäftsjahres", "Ausführen")
        first = visitor.page.locator(".data-table tbody tr[role=row]").first
        amount = first.locator("td.main .value").bounding_box()
        assert amount is not None
        assert 0 < amount["x"] < amount["x"] + amount["width"] <= 390
        assert visitor.page.evaluate("document.scrollingElement.scrollWidth") <= 390
        visitor.picture("table-trial-balance-390")


def test_a_table_is_saved_as_a_file_that_german_excel_opens(console: RunningConsole, browser: Any) -> None:
    with Visitor(console, browser, SCREENSHOTS, locale="de-DE", width=1440) as visitor:
        run_trial_balance(visitor, "Verbindung zur Buchhaltung", "Beginn des Geschäftsjahres", "Ausführen")
        with visitor.page.expect_download() as waiting:
            visitor.press("Als CSV speichern")
        head, _, rows = Path(waiting.value.path()).read_bytes().partition(b"\r\n\r\n")
        assert head.decode("utf-8").splitlines()[:3] == [
            "\ufeffSummen- und Saldenliste abrufen",
            f"Verbindung zur Buchhaltung;{CLIENT}",
            "Beginn des Geschäftsjahres;01.01.2026",
        ]
        assert rows.startswith(b"Kontonummer;Kontobeschriftung;")
        today = visitor.console.state.context.clock.berlin_today()
        named = "Summen-und-Saldenliste-abrufen-Nordlicht-Fahrradhandel-GmbH-2026-01-01"
        assert waiting.value.suggested_filename == f"{named}-{today}.csv"
