"""A cash book entry as a grid: pasted from a spreadsheet, or typed without a mouse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from tests.interfaces.console.running_console import RunningConsole, running_console
from tests.interfaces.console.visitor import Visitor

CLIENT = "Nordlicht Fahrradhandel GmbH"
PATH = "/v2/ledger-duo/kassenbuch-advanced"
ROWS = (
    "Betrag\tBelegtext\tGegenkonto\tBelegnummer\n"
    "1.234,50 €\tTageseinnahme\t8400\tKB-1\n-41,65\tDruckerpapier\t4930\tKB-2\n7,15\tPfand\t4910\tKB-3\n"
)
DISPATCH = """(text) => {
  const data = new DataTransfer();
  data.setData('text/plain', text);
  const pasted = new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true});
  document.activeElement.dispatchEvent(pasted);
}"""


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningConsole]:
    with running_console(tmp_path_factory.mktemp("grid")) as console:
        yield console


def booked(visitor: Visitor) -> list[Any]:
    record = httpx.get(f"{visitor.console.sandbox.url}/sandbox/record?limit=100000", trust_env=False).json()["data"]
    return [one for one in record if one["path"].startswith(PATH) and one["method"] == "POST" and one["status"] < 300]


def paste(visitor: Visitor, rows: str) -> None:
    visitor.page.evaluate(DISPATCH, rows)


FOCUSED = """(() => {
  const one = document.activeElement;
  return (one.closest('[role=group][aria-label]')?.ariaLabel ?? '') + ' / ' + (one.ariaLabel ?? '');
})()"""


def focused(visitor: Visitor) -> str:
    """The line and the name of what has the focus."""
    return str(visitor.page.evaluate(FOCUSED))


def wait_for_focus(visitor: Visitor, name: str) -> None:
    visitor.page.wait_for_function(f"(name) => {FOCUSED} === name", arg=name)


SENDING = ("Review", "Send now")
"""The buttons that send a filled form, one after the other."""


def test_a_cash_closing_takes_at_most_eight_interactions_with_three_lines_pasted(visitor: Visitor) -> None:
    before = len(booked(visitor))
    visitor.open("actions/create_cash_book_entry")
    visitor.choose("Ledger connection", CLIENT)  # two clicks
    visitor.choose("Cash book", "Ladenkasse")  # two clicks
    visitor.page.get_by_label("Date and time").fill("2026-05-04T10:30")
    paste(visitor, ROWS)  # wherever the focus is: no click into the grid
    visitor.sees("Lines pasted: 3.")
    visitor.sees("Total: 1,200.00 EUR (sum of the lines)")
    amounts = [visitor.page.get_by_role("group", name=f"Line {one}").get_by_label("Amount") for one in (1, 2, 3)]
    assert [amount.input_value() for amount in amounts] == ["1,234.50", "-41.65", "7.15"]
    total = visitor.page.get_by_label("Total amount")
    expect(total).to_have_value("")
    expect(total).to_have_attribute("placeholder", "1,200.00 (sum of the lines)")
    visitor.picture("grid-1-pasted")
    for name in SENDING:
        visitor.press(name)
    visitor.sees("Done.")
    assert 2 + 2 + 1 + 1 + len(SENDING) <= 8
    assert len(booked(visitor)) == before + 1


def tab_to(visitor: Visitor, name: str) -> None:
    for _ in range(60):
        if focused(visitor).endswith(f"/ {name}"):
            return
        visitor.page.keyboard.press("Tab")
    raise AssertionError(f"{name} is not reached with the tabulator; at last {focused(visitor)}")


def pick(visitor: Visitor, label: str, typed: str) -> None:
    """Choose in a list by typing a part of it, then with the arrow and Enter."""
    tab_to(visitor, label)
    visitor.page.keyboard.type(typed)
    visitor.page.get_by_role("option").filter(has_text=typed).first.wait_for()
    visitor.page.keyboard.press("ArrowDown")
    visitor.page.keyboard.press("Enter")
    visitor.page.get_by_role("listbox").wait_for(state="detached")


def test_a_whole_cash_book_entry_is_made_by_keyboard_alone(visitor: Visitor) -> None:
    before = len(booked(visitor))
    keyboard = visitor.page.keyboard
    visitor.open("actions/create_cash_book_entry")
    visitor.page.get_by_role("combobox", name="Ledger connection").wait_for()
    tab_to(visitor, "Ledger connection *")
    visitor.page.get_by_text("Asking the service").first.wait_for(state="detached")
    pick(visitor, "Ledger connection *", CLIENT)
    visitor.page.get_by_text("Fill in first").first.wait_for(state="detached")
    visitor.page.get_by_text("Asking the service").first.wait_for(state="detached")
    pick(visitor, "Cash book *", "Ladenkasse")
    tab_to(visitor, "Date and time *")
    keyboard.type("2026-05-04 10:30")
    tab_to(visitor, "Amount *")
    for line, (amount, text) in enumerate([("100,50", "Verkauf"), ("-0,50", "Pfand")], start=1):
        wait_for_focus(visitor, f"Line {line} / Amount *")
        keyboard.type(amount)
        keyboard.press("Tab")
        keyboard.type(text)
        keyboard.press("Enter")
    wait_for_focus(visitor, "Line 3 / Amount *")
    keyboard.press("ArrowUp")
    wait_for_focus(visitor, "Line 2 / Amount *")
    visitor.sees("Total: 100.00 EUR (sum of the lines)")
    for name in SENDING:
        visitor.page.get_by_role("button", name=name, exact=True).click(trial=True)  # waits until it may be pressed
        for _ in range(60):
            if visitor.page.evaluate("document.activeElement.innerText") == name:
                break
            keyboard.press("Tab")
        keyboard.press("Enter")
    visitor.sees("Done.")
    assert len(booked(visitor)) == before + 1


def test_the_focus_stays_in_the_grid_when_lines_come_and_go(visitor: Visitor) -> None:
    visitor.open("actions/create_cash_book_entry")
    for line in (2, 3):
        visitor.press("Add: Lines")
        wait_for_focus(visitor, f"Line {line} / Amount *")
        visitor.page.keyboard.type(f"{line},00")
    visitor.press("Remove line 2")
    wait_for_focus(visitor, "Line 2 / Remove line 2")
    expect(visitor.page.get_by_role("group", name="Line 2").get_by_label("Amount")).to_have_value("3,00")
    visitor.page.keyboard.press("Enter")
    wait_for_focus(visitor, "Line 1 / Remove line 1")
    visitor.page.keyboard.press("Enter")
    wait_for_focus(visitor, " / Add: Lines")


def test_what_does_not_fit_is_told_in_its_cell(german_visitor: Visitor) -> None:
    visitor = german_visitor
    visitor.open("actions/create_cash_book_entry")
    visitor.page.get_by_role("group", name="Zeile 1").get_by_label("Betrag").click()
    paste(visitor, "12,50\tBrot\n1.234\tKäse\n")
    second = visitor.page.get_by_role("group", name="Zeile 2")
    second.locator(".field-error").get_by_text("1.234,00").first.wait_for()
    expect(visitor.page.locator(".line .q-field--error")).to_have_count(1)
    expect(second.get_by_label("Betrag")).to_have_attribute("aria-invalid", "true")
    second.get_by_label("Betrag").fill("1.234,00")
    visitor.page.keyboard.press("Tab")
    visitor.page.locator(".line .q-field--error").wait_for(state="detached")
    visitor.sees("Gesamtbetrag: 1.246,50 EUR (Summe der Zeilen)")


def test_on_a_phone_each_line_is_a_card_with_its_labels(phone_visitor: Visitor) -> None:
    visitor = phone_visitor
    visitor.open("actions/create_cash_book_entry")
    visitor.page.get_by_role("group", name="Line 1").get_by_label("Amount").click()
    paste(visitor, ROWS)
    visitor.sees("Lines pasted: 3.")
    label = visitor.page.get_by_role("group", name="Line 3").locator(".q-field__label", has_text="Counter account")
    box = label.bounding_box()
    assert box is not None
    assert box["width"] > 40
    assert visitor.page.evaluate("document.scrollingElement.scrollWidth") <= 390
    visitor.picture("grid-2-phone")
