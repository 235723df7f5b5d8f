"""The pages about money: opening one asks nobody, and what was read is shown again with its age."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.interfaces.console.running_console import RunningConsole, running_console
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor

CLIENT = "Nordlicht Fahrradhandel GmbH"
PLACES = ("money", "money/open-items", "money/payments", "money/trial-balance")
CHOICES = "/v2/ledger-rewe-read/connections"  # free; what a page offers to choose from is read ahead


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningConsole]:
    with running_console(tmp_path_factory.mktemp("money")) as console:
        yield console


def sent(visitor: Visitor, path: str) -> list[Any]:
    record = httpx.get(f"{visitor.console.sandbox.url}/sandbox/record?limit=100000", trust_env=False).json()["data"]
    return [one for one in record if one["path"].startswith(path)]


def read_by_pages(visitor: Visitor) -> list[str]:
    """The bank's and the ledger's data that were read; not what a page only offers to choose from."""
    areas = ("/v2/banking/", "/v2/ledger-rewe-read/")
    return [call["path"] for area in areas for call in sent(visitor, area) if call["path"] != CHOICES]


def test_accounts_are_read_once_and_shown_again_with_their_age(visitor: Visitor) -> None:
    visitor.open("money")
    visitor.sees("Nothing was read yet.")
    visitor.press("Read now (free)")
    visitor.page.get_by_role("link", name="Geschäftskonto").wait_for()
    read = len(sent(visitor, "/v2/banking/accounts"))
    visitor.picture("money-1-accounts")

    visitor.open("money")
    visitor.sees("As of ")
    visitor.page.get_by_role("link", name="Geschäftskonto").click()
    visitor.page.get_by_role("heading", name="Geschäftskonto").wait_for()
    assert not sent(visitor, "/v2/banking/transactions")
    visitor.press("Read now (1 credit)")
    visitor.page.locator("svg .course").wait_for()
    assert len(sent(visitor, "/v2/banking/transactions")) == 1
    visitor.open("money")
    visitor.page.get_by_role("heading", name="Latest transactions").wait_for()
    assert len(sent(visitor, "/v2/banking/accounts")) == read
    assert len(sent(visitor, "/v2/banking/transactions")) == 1


def test_open_items_by_age_lead_to_those_of_one_age(visitor: Visitor) -> None:
    visitor.open("money/open-items")
    visitor.choose("Ledger connection", CLIENT)
    visitor.press("Read now (5 credits)")
    ages = visitor.page.get_by_role("group", name="By age of the document")
    ages.wait_for()
    read = len(sent(visitor, "/v2/ledger-rewe-read/opos"))
    all_rows = visitor.page.locator(".data-table").get_attribute("aria-rowcount")
    ages.get_by_role("button", name="31 to 60 days").click()
    visitor.page.wait_for_function(
        "(all) => document.querySelector('.data-table')?.getAttribute('aria-rowcount') !== all", arg=all_rows
    )
    pressed = ages.get_by_role("button", name="31 to 60 days")
    assert pressed.get_attribute("aria-pressed") == "true"
    visitor.picture("money-2-open-items")
    visitor.open("money/open-items")
    visitor.page.get_by_role("button", name="Read again (5 credits)").wait_for()
    assert len(sent(visitor, "/v2/ledger-rewe-read/opos")) == read == 1


def test_payments_in_flight_stand_before_the_final_ones(german_visitor: Visitor) -> None:
    visitor = german_visitor
    visitor.open("money/payments")
    visitor.press("Jetzt abrufen (kostenlos)")
    visitor.page.get_by_role("heading", name="Noch nicht endgültig").wait_for()
    moving = visitor.page.get_by_role("table", name="Noch nicht endgültig")
    assert "Angelegt" in moving.inner_text()
    assert "Endgültig ausgeführt" not in moving.inner_text()


@pytest.mark.parametrize("width", [1440, 390])
def test_opening_any_page_about_money_sends_nothing_that_costs(
    console: RunningConsole, browser: Any, width: int
) -> None:
    with Visitor(console, browser, SCREENSHOTS, locale="de-DE", width=width) as visitor:
        visitor.open("approvals")
        before = read_by_pages(visitor)
        for place in PLACES:
            visitor.open(place)
            visitor.wait_until_built()
            assert visitor.page.evaluate("document.scrollingElement.scrollWidth") <= width
        assert read_by_pages(visitor) == before
