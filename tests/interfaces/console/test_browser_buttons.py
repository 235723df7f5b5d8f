"""A button is a run: one press, one run, whatever the mouse does. In a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from visitor import Visitor

CLIENT = "Nordlicht Fahrradhandel GmbH"
PAYMENTS = "/v2/banking/payments"
CASH_BOOK = "/v2/ledger-duo/kassenbuch-advanced"


def sent(visitor: Visitor, path: str) -> int:
    """How often the service was asked to do it."""
    record = httpx.get(f"{visitor.console.sandbox.url}/sandbox/record?limit=100000", trust_env=False).json()["data"]
    return sum(one["path"].startswith(path) and one["method"] == "POST" for one in record)


def fault(visitor: Visitor, path: str, **what: Any) -> None:
    """Let the service misbehave once."""
    body = {"times": 1, "match": {"method": "POST", "path": path}, **what}
    httpx.post(f"{visitor.console.sandbox.url}/sandbox/faults", json=body, trust_env=False).raise_for_status()


def parked(visitor: Visitor) -> list[Any]:
    """What waits for a person to settle."""
    state = visitor.console.state
    with state.connector.open(state.settings.own_credential) as session:
        return session.runs(state="unknown")


def fill_payment(visitor: Visitor, page: Any = None, amount: str = "297.50") -> None:
    visitor.open("actions/initiate_payment", page)
    page = page or visitor.page
    visitor.choose("From account", "Geschäftskonto", page)
    page.get_by_label("Recipient *", exact=True).fill("Reifen Voss KG")
    page.get_by_label("Recipient's IBAN").fill("DE02 1203 0000 0000 2020 51")
    page.get_by_label("Amount").fill(amount)
    page.get_by_label("Purpose").fill("Rechnung V-88120")
    page.get_by_label("Purpose").blur()


def fill_cash_book_entry(visitor: Visitor, page: Any = None) -> None:
    visitor.open("actions/create_cash_book_entry", page)
    page = page or visitor.page
    visitor.choose("Ledger connection", CLIENT, page)
    visitor.choose("Cash book", "Ladenkasse", page)
    page.get_by_label("Total amount").fill("119.00")
    page.get_by_label("Date and time").fill("2026-05-04T10:30")
    line = page.get_by_role("group", name="Line 1")
    line.get_by_label("Amount").fill("119.00")
    line.get_by_label("Counter account").fill("8400")
    line.get_by_label("Counter account").blur()


Fill = Callable[..., None]
WRITES = pytest.mark.parametrize(
    ("fill", "path"),
    [pytest.param(fill_payment, PAYMENTS, id="payment"), pytest.param(fill_cash_book_entry, CASH_BOOK, id="cash-book")],
)


def run_button(page: Any) -> Any:
    return page.get_by_role("button", name="Run", exact=True)


@WRITES
def test_a_double_click_on_run_is_one_run(visitor: Visitor, fill: Fill, path: str) -> None:
    fill(visitor)
    run_button(visitor.page).dblclick()
    visitor.sees("Done.")
    visitor.page.wait_for_load_state("networkidle")
    assert sent(visitor, path) == 1


@WRITES
def test_a_flurry_of_clicks_that_the_browser_sends_at_once_is_one_run(visitor: Visitor, fill: Fill, path: str) -> None:
    """The events leave in one script, before the server can disable anything."""
    fill(visitor)
    fault(visitor, path, kind="slow", seconds=2)
    run_button(visitor.page).evaluate("button => { for (let i = 0; i < 5; i++) button.click() }")
    visitor.sees("Done.")
    assert sent(visitor, path) == 1


@WRITES
def test_a_press_of_enter_and_a_click_are_one_run(visitor: Visitor, fill: Fill, path: str) -> None:
    fill(visitor)
    fault(visitor, path, kind="slow", seconds=2)
    run_button(visitor.page).press("Enter")
    run_button(visitor.page).click(force=True)
    visitor.sees("Done.")
    assert sent(visitor, path) == 1


@WRITES
def test_pressing_again_while_the_form_stays_filled_shows_the_first_result(
    visitor: Visitor, fill: Fill, path: str
) -> None:
    fill(visitor)
    visitor.press("Run")
    visitor.sees("Done.")
    visitor.press("Run")
    visitor.sees("nothing was repeated")
    visitor.press("Run")
    visitor.sees("nothing was repeated")
    assert sent(visitor, path) == 1
    visitor.picture(f"button-repeat-{path.rpartition('/')[2]}")


def test_doing_it_again_says_what_it_would_do_and_does_it_once_more(visitor: Visitor) -> None:
    fill_payment(visitor)
    visitor.press("Run")
    visitor.sees("Done.")
    visitor.press("Run")
    visitor.press("Do it again …")
    visitor.sees("Do it a second time, in addition to the first?")
    asked = visitor.page.get_by_role("alertdialog")
    for fact in ("Reifen Voss KG", "297.50", "Rechnung V-88120"):
        assert fact in asked.inner_text()
    visitor.picture("button-again")
    visitor.press("Go back")
    assert sent(visitor, PAYMENTS) == 1
    visitor.press("Do it again …")
    visitor.page.get_by_role("button", name="Yes, a second time").dblclick()
    visitor.sees("Done.")
    assert sent(visitor, PAYMENTS) == 2
    visitor.press("Run")
    visitor.sees("nothing was repeated")
    assert sent(visitor, PAYMENTS) == 2


def test_other_contents_are_another_run(visitor: Visitor) -> None:
    fill_payment(visitor)
    visitor.press("Run")
    visitor.sees("Done.")
    visitor.page.get_by_label("Amount").fill("298.50")
    visitor.press("Run")
    while sent(visitor, PAYMENTS) < 2:
        visitor.page.wait_for_timeout(50)
    visitor.sees("Done.")
    visitor.page.get_by_label("Amount").fill("297.50")  # and back to the first
    visitor.press("Run")
    visitor.sees("nothing was repeated")
    assert sent(visitor, PAYMENTS) == 2


@WRITES
def test_two_tabs_with_the_same_contents_are_one_run(visitor: Visitor, fill: Fill, path: str) -> None:
    fill(visitor)
    other = visitor.context.new_page()  # in front: a browser rests its hidden tabs
    fill(visitor, other)
    fault(visitor, path, kind="slow", seconds=5)
    run_button(other).click()
    visitor.page.bring_to_front()
    run_button(visitor.page).click()
    visitor.sees("nothing was repeated")
    visitor.sees("Done.", other)
    assert sent(visitor, path) == 1


@WRITES
def test_a_reload_while_it_runs_and_the_same_once_more_is_one_run(visitor: Visitor, fill: Fill, path: str) -> None:
    fill(visitor)
    fault(visitor, path, kind="slow", seconds=3)
    visitor.press("Run")
    visitor.sees("Under way")
    fill(visitor)  # opens the page anew
    visitor.press("Run")
    visitor.sees("nothing was repeated")
    assert sent(visitor, path) == 1


def test_an_unknown_outcome_is_settled_in_the_console_and_asks_back_first(visitor: Visitor) -> None:
    fill_cash_book_entry(visitor)
    fault(visitor, CASH_BOOK, kind="drop_after")
    visitor.press("Run")
    visitor.sees("Look in the books or at the bank")
    notice = visitor.page.get_by_role("alert").inner_text()
    assert "kontor " not in notice, "a bookkeeper has no command line"
    visitor.picture("button-unknown")
    visitor.press("It did not happen")
    visitor.sees("it would happen twice")
    visitor.press("Go back")
    visitor.press("It happened")
    visitor.sees("Did you see it in the books or at the bank?")
    overview = visitor.open("", visitor.context.new_page())
    visitor.press("It did not happen", overview)
    visitor.sees("it would happen twice", overview)
    overview.close()
    assert [one.action for one in parked(visitor)] == ["create_cash_book_entry"], "asking back settles nothing"
    visitor.press("Yes, it is there")
    visitor.sees("Settled as done")
    visitor.press("Run")
    visitor.sees("nothing was repeated")
    assert sent(visitor, CASH_BOOK) == 1


def test_what_did_not_happen_can_be_sent_after_all(visitor: Visitor) -> None:
    fill_cash_book_entry(visitor)
    fault(visitor, CASH_BOOK, kind="drop_before")
    visitor.press("Run")
    visitor.press("It did not happen")
    visitor.press("Yes, it is not there")
    visitor.sees("To send it after all, press Run")
    visitor.press("Run")
    visitor.sees("Done.")
