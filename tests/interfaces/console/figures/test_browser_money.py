"""The pages about money: opening one asks nobody, and what was read is shown as a bookkeeper reads it."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
from openpyxl import load_workbook
from playwright.sync_api import expect

from tests.interfaces.console.running_console import RunningConsole, running_console
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor

CLIENT = "Nordlicht Fahrradhandel GmbH"
PLACES = ("money", "money/open-items", "money/payments", "money/trial-balance")
CHOICES = "/v2/ledger-rewe-read/connections"  # free; what a page offers to choose from is read ahead
PAYMENT = {
    "Recipient *": "Reifen Voss KG",
    "Recipient's IBAN *": "DE02120300000000202051",
    "Amount *": "297.50",
    "Purpose": "=1+1 Rechnung V-88120",
}
CELLS = """(name) => [...document.querySelectorAll(`[aria-label^="${name}"] tbody tr[role=row]:not(.group)`)].map(
  (row) => [...row.querySelectorAll('.value')].map((one) => one.textContent.trim()))"""
LONG_NUMBER = re.compile(r"\b[0-9]{12,}\b")
CUT = """() => [...document.querySelectorAll('.data-table .value')].filter((one) => {
  const box = one.closest('td').getBoundingClientRect();
  return /[0-9]{2}[.-][0-9]{2}|IBAN|[A-Z]{2}[0-9]{2} [0-9]{4}/.test(one.textContent)
    && (box.right > innerWidth || one.getBoundingClientRect().right > box.right + 1) }).map((one) => one.textContent)"""


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningConsole]:
    with running_console(tmp_path_factory.mktemp("money")) as console:
        yield console


def sent(visitor: Visitor, path: str) -> list[Any]:
    record = httpx.get(f"{visitor.console.sandbox.url}/sandbox/record?limit=100000", trust_env=False).json()["data"]
    return [one for one in record if one["path"].startswith(path)]


def paid_reads(visitor: Visitor) -> list[str]:
    """The bank's and the ledger's data that were read and paid for; the host reads what is free by itself."""
    areas = ("/v2/banking/transactions", "/v2/ledger-rewe-read/")
    return [call["path"] for area in areas for call in sent(visitor, area) if call["path"] != CHOICES]


def cells(visitor: Visitor, caption: str) -> list[list[str]]:
    """What stands in the rows that are drawn of a table."""
    visitor.page.locator(f'[aria-label^="{caption}"]').first.wait_for()
    return list(visitor.page.evaluate(CELLS, caption))


def test_accounts_are_read_once_and_shown_again_with_their_age(visitor: Visitor) -> None:
    visitor.open("money")
    visitor.sees("Nothing was read yet.")
    visitor.press("Read now (free)")
    visitor.page.get_by_role("link", name="Geschäftskonto").wait_for()
    read = len(sent(visitor, "/v2/banking/accounts"))
    first = cells(visitor, "Accounts")[0]
    assert first[:2] == ["Geschäftskonto", "DE12 2005 0550 1280 0441 17"]
    visitor.sees("Total (EUR)")
    assert not LONG_NUMBER.search(visitor.page.locator("main").inner_text())
    visitor.picture("money-1-accounts")

    visitor.open("money")
    visitor.sees("As of ")
    visitor.page.get_by_role("link", name="Geschäftskonto").click()
    visitor.page.get_by_role("heading", name="Geschäftskonto").wait_for()
    assert not sent(visitor, "/v2/banking/transactions")
    visitor.press("Read now (1 credit)")
    visitor.page.locator("svg .course").wait_for()
    assert "100,000" in str(visitor.page.locator("svg.chart").text_content())
    assert len(sent(visitor, "/v2/banking/transactions")) == 1
    rows = cells(visitor, "Account")
    assert [day for day, *_ in rows] == sorted((day for day, *_ in rows), reverse=True)
    assert not [row for row in rows if "SVWZ+" in " ".join(row) or LONG_NUMBER.search(" ".join(row))]
    assert all(row[1] not in ("", "–", "Nordlicht Fahrradhandel GmbH") for row in rows)

    visitor.open("money")
    visitor.page.get_by_role("heading", name="Latest transactions").wait_for()
    assert [row[0] for row in cells(visitor, "Latest")] == [row[0] for row in rows][: len(cells(visitor, "Latest"))]
    assert len(sent(visitor, "/v2/banking/accounts")) == read
    assert len(sent(visitor, "/v2/banking/transactions")) == 1


def test_a_row_opens_everything_that_is_known_of_it_and_gives_the_focus_back(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("money")
    page.get_by_role("button", name=re.compile("^Read (now|again)")).click()
    page.get_by_role("button", name="Read again").wait_for()
    visitor.wait_until_built()  # else the table is drawn anew under the focus
    opener = page.get_by_role("button", name="Details: Geschäftskonto").first
    opener.focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Details: Geschäftskonto")
    dialog.get_by_text("222483902742913301").wait_for()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    dialog.get_by_role("button", name="Copy: ID", exact=True).click()
    visitor.sees("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == "222483902742913301"
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    page.wait_for_function("document.activeElement.ariaLabel === 'Details: Geschäftskonto'")
    page.locator(".data-table tbody tr[role=row]").nth(1).locator("td").nth(2).click()
    page.get_by_role("dialog", name="Details: Tagesgeld").wait_for()


def test_debtors_and_creditors_stand_apart_and_an_age_leaves_its_items(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("money/open-items")
    visitor.choose("Ledger connection", CLIENT)
    visitor.press("Read now (5 credits)")
    sides = {name: page.get_by_role("region", name=name, exact=True) for name in ("Debtors", "Creditors")}
    for side in sides.values():
        side.wait_for()
    total = {name: side.locator("tr.all td").nth(1).inner_text() for name, side in sides.items()}
    assert [one.startswith("−") for one in total.values()] == [False, True]
    visitor.sees(f"Sum of debtors: {total['Debtors']} · Sum of creditors: {total['Creditors']}")
    creditors = cells(visitor, "Open items Creditors")
    all_rows = len(cells(visitor, "Open items Debtors"))
    sides["Debtors"].get_by_role("button", name="Debtors: 31 to 60 days").click()
    page.get_by_role("heading", name="Open items Debtors 31 to 60 days").wait_for()
    assert 0 < len(cells(visitor, "Open items Debtors 31 to 60 days")) < all_rows
    assert cells(visitor, "Open items Creditors") == creditors
    pressed = sides["Debtors"].get_by_role("button", name="Debtors: 31 to 60 days")
    expect(pressed).to_have_attribute("aria-pressed", "true")
    visitor.picture("money-2-open-items")
    visitor.open("money/open-items")
    page.get_by_role("button", name="Read again (5 credits)").wait_for()
    assert len(sent(visitor, "/v2/ledger-rewe-read/opos")) == 1


def test_a_payment_leads_to_its_run_and_is_a_file_that_excel_opens(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("actions/initiate_payment")
    visitor.choose("From account", "Geschäftskonto")
    for label, text in PAYMENT.items():
        page.get_by_label(label, exact=True).fill(text)
    visitor.send()
    visitor.sees("Handed to the bank, not settled yet.")
    run = page.url.rpartition("/")[2]
    visitor.open("money/payments")
    visitor.press("Read now (free)")
    first = cells(visitor, "Not final yet")[0]
    assert first[1:4] == ["Reifen Voss KG", "=1+1 Rechnung V-88120", "297.50"]
    assert first[4].startswith("Geschäftskonto")
    assert first[5:] == ["Initiated", "Run"]
    with page.expect_download() as waiting:
        visitor.press("Save for Excel")
    sheet = load_workbook(io.BytesIO(Path(waiting.value.path()).read_bytes())).active
    assert sheet["A1"].value == "Not final yet"
    heads = next(line for line in sheet.iter_rows() if line[0].value == "Created")
    names = {cell.value: cell.column - 1 for cell in heads if cell.value}
    row = sheet[heads[0].row + 1]
    assert row[names["Created"]].is_date
    assert row[names["Amount"]].value == 297.5
    assert (row[names["Purpose"]].value, row[names["Purpose"]].data_type) == (PAYMENT["Purpose"], "s")
    assert row[names["ID"]].data_type == "s"
    assert "Run" not in names
    with page.expect_download() as waiting:
        visitor.press("Save as CSV")
    text = Path(waiting.value.path()).read_text(encoding="utf-8-sig")
    assert f"'{PAYMENT['Purpose']}" in next(line for line in csv.reader(io.StringIO(text)) if "297.50" in line)
    page.get_by_role("link", name="Reifen Voss KG").first.click()
    page.get_by_role("heading", name="Reifen Voss KG · 297.50 EUR").wait_for()
    visitor.sees("DE02 1203 0000 0000 2020 51")
    page.locator("main").get_by_role("link", name="Run", exact=True).click()
    page.wait_for_url(f"**/runs/{run}")


def test_payments_in_flight_stand_before_the_final_ones(german_visitor: Visitor) -> None:
    visitor = german_visitor
    visitor.open("money/payments")
    visitor.page.get_by_role("button", name=re.compile("^(Jetzt|Erneut) abrufen")).click()
    visitor.page.get_by_role("heading", name="Noch nicht endgültig").wait_for()
    moving = visitor.page.get_by_role("table", name="Noch nicht endgültig")
    expect(moving).to_contain_text("Angelegt")
    assert "Endgültig ausgeführt" not in moving.inner_text()


def test_a_trial_balance_stands_by_class_with_sums_and_sorts_numbers_as_numbers(german_visitor: Visitor) -> None:
    visitor, page = german_visitor, german_visitor.page
    visitor.open("money/trial-balance")
    visitor.choose("Verbindung zur Buchhaltung", CLIENT)
    visitor.choose("Beginn des Geschäftsjahres", "2026 (")
    visitor.press("Jetzt abrufen (1 Credit)")
    numbers = [row[0] for row in cells(visitor, "Summen- und Saldenliste")]
    heads = page.locator(".data-table tr.group .group-name").all_inner_texts()
    assert heads == [
        *(f"Kontenklasse {one}" for one in (0, 1, 3, 4, 8, 9)),
        *("Debitoren", "Kreditoren"),
    ]
    by_class = [(len(number) == 9, number[0], int(number)) for number in numbers]
    assert by_class == sorted(by_class)
    assert "14100001" in numbers
    balances = [row[-1] for row in cells(visitor, "Summen- und Saldenliste") if row[0].startswith("0")]
    amounts = [Decimal(amount.replace(".", "").replace(",", ".")) for amount, _ in map(str.split, balances)]
    added = sum(
        amount if side == "S" else -amount for amount, (_, side) in zip(amounts, map(str.split, balances), strict=True)
    )
    shown = page.locator("tr.group").first.locator(".value").last.inner_text()
    assert shown == f"{abs(added):,.2f} {'S' if added >= 0 else 'H'}".translate(str.maketrans(",.", ".,"))
    assert added
    page.get_by_role("button", name="Kontonummer", exact=True).click()
    page.get_by_role("button", name="Kontonummer", exact=True).click()
    page.wait_for_function("document.querySelector('.data-table [aria-sort=descending]')")
    first = [row[0] for row in cells(visitor, "Summen- und Saldenliste")][:2]
    assert first == ["0860", "0800"]  # classes stay in their order


@pytest.mark.parametrize(("width", "locale"), [(1440, "en-US"), (1440, "de-DE"), (390, "de-DE")])
def test_opening_any_page_about_money_sends_nothing_that_costs(
    console: RunningConsole, browser: Any, width: int, locale: str
) -> None:
    with Visitor(console, browser, SCREENSHOTS, locale=locale, width=width) as visitor:
        visitor.open("approvals")
        before = paid_reads(visitor)
        for place in PLACES:
            visitor.open(place)
            visitor.wait_until_built()
            assert visitor.page.evaluate("document.scrollingElement.scrollWidth") <= width
            assert visitor.page.evaluate(CUT) == []
        assert paid_reads(visitor) == before
