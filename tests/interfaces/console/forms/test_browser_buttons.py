"""A button is a run: one press, one run, whatever the mouse does. In a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from connector.core.errors import LikelyRepeat
from tests.interfaces.console.visitor import SENDS, Visitor

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


def review_button(page: Any) -> Any:
    return page.get_by_role("button", name="Review", exact=True)


def send_button(page: Any) -> Any:
    return page.locator(".review").get_by_role("button", name=SENDS)


@WRITES
def test_a_double_click_on_review_sends_nothing_and_one_on_send_is_one_run(
    visitor: Visitor, fill: Fill, path: str
) -> None:
    fill(visitor)
    review_button(visitor.page).dblclick()
    visitor.sees("Check before it is sent")
    assert sent(visitor, path) == 0
    send_button(visitor.page).dblclick()
    visitor.page.wait_for_url("**/console/runs/*")
    visitor.sees("Answered.")
    assert sent(visitor, path) == 1


@WRITES
def test_a_flurry_of_clicks_that_the_browser_sends_at_once_is_one_run(visitor: Visitor, fill: Fill, path: str) -> None:
    """The events leave in one script, before the server can disable anything."""
    fill(visitor)
    fault(visitor, path, kind="slow", seconds=2)
    visitor.press("Review")
    send_button(visitor.page).click(trial=True)
    send_button(visitor.page).evaluate("button => { for (let i = 0; i < 5; i++) button.click() }")
    visitor.sees("Being sent.")
    visitor.sees("Answered.")
    assert sent(visitor, path) == 1


def test_enter_opens_the_review_of_a_write_and_a_second_enter_sends_nothing(visitor: Visitor) -> None:
    fill_payment(visitor)
    visitor.page.get_by_label("Purpose").press("Enter")
    visitor.sees("Check before it is sent")
    visitor.page.keyboard.press("Enter")
    visitor.page.keyboard.press("Enter")
    visitor.press("Back to the form")
    visitor.page.get_by_label("Purpose").wait_for()
    assert sent(visitor, PAYMENTS) == 0


def test_what_is_typed_before_the_page_is_connected_arrives_in_order(visitor: Visitor) -> None:
    """Each event waits for the connection by a timer of its own."""
    fill_payment(visitor, amount="")
    visitor.wait_until_built()
    visitor.page.evaluate("window.did_handshake = false")
    visitor.page.get_by_label("Amount").press_sequentially("297.50", delay=7)
    visitor.press("Review")
    visitor.page.evaluate("window.did_handshake = true")
    visitor.sees("Check before it is sent")
    review = visitor.page.locator(".review")
    review.get_by_text(" EUR").first.wait_for()
    expect(review).to_contain_text("297.50 EUR")


@WRITES
def test_the_same_once_more_is_said_to_be_a_repeat_before_the_press(visitor: Visitor, fill: Fill, path: str) -> None:
    fill(visitor)
    visitor.send()
    visitor.sees("Answered.")
    first = visitor.page.url
    fill(visitor)
    visitor.press("Review")
    visitor.sees("Likely a repeat")
    visitor.picture(f"button-repeat-{path.rpartition('/')[2]}")
    visitor.page.get_by_role("link", name="Open that run").click()
    visitor.page.wait_for_url(first)
    assert sent(visitor, path) == 1


def test_doing_it_again_is_one_further_run_however_often_it_is_pressed(visitor: Visitor) -> None:
    fill_payment(visitor)
    visitor.send()
    visitor.sees("Answered.")
    visitor.page.get_by_role("link", name="Use as template").click()
    visitor.page.wait_for_url("**/console/actions/**")
    visitor.page.get_by_label("Purpose").wait_for()
    expect(visitor.page.get_by_label("Amount")).to_have_value("297.50")
    visitor.press("Review")
    visitor.page.get_by_role("button", name="Send a second time").dblclick()
    visitor.sees("Answered.")
    assert sent(visitor, PAYMENTS) == 2


@WRITES
def test_two_tabs_with_the_same_contents_are_one_run(visitor: Visitor, fill: Fill, path: str) -> None:
    fill(visitor)
    visitor.press("Review")
    other = visitor.context.new_page()  # in front: a browser rests its hidden tabs
    fill(visitor, other)
    visitor.press("Review", other)
    fault(visitor, path, kind="slow", seconds=5)
    send_button(other).click()
    visitor.page.bring_to_front()
    send_button(visitor.page).click()
    visitor.sees("Answered.")
    visitor.sees("Answered.", other)
    assert other.url == visitor.page.url
    assert sent(visitor, path) == 1


@WRITES
def test_a_reload_while_it_runs_shows_the_same_run(visitor: Visitor, fill: Fill, path: str) -> None:
    fill(visitor)
    fault(visitor, path, kind="slow", seconds=3)
    visitor.send()
    visitor.sees("Being sent.")
    address = visitor.page.url
    visitor.page.reload()
    visitor.sees("Being sent.")
    visitor.sees("Answered.")
    assert visitor.page.url == address
    assert sent(visitor, path) == 1


def test_an_unknown_outcome_is_settled_in_place_with_a_question_and_a_note(visitor: Visitor) -> None:
    fill_cash_book_entry(visitor)
    fault(visitor, CASH_BOOK, kind="drop_after")
    visitor.send()
    visitor.sees("nobody knows whether the service acted")
    shown = visitor.page.locator("main").inner_text()
    assert "kontor " not in shown, "a bookkeeper has no command line"
    assert "Ladenkasse" in shown
    assert "8400" in shown
    assert "{" not in shown, "what was sent is shown in the form's own words"
    visitor.picture("button-unknown")
    visitor.press("It did not happen")
    visitor.sees("it would happen twice")
    visitor.press("Go back")
    visitor.press("It happened")
    visitor.sees("Did you see it in the books or at the bank?")
    assert [one.action for one in parked(visitor)] == ["create_cash_book_entry"], "asking back settles nothing"
    visitor.page.get_by_label("Note, for example where you looked").fill("Seen in the ledger, line 12")
    visitor.press("Yes, it is there")
    visitor.sees("Settled as done")
    visitor.sees("Note: Seen in the ledger, line 12")
    visitor.sees("Settled by host. “Seen in the ledger, line 12”")
    visitor.picture("button-settled")
    assert parked(visitor) == []
    assert sent(visitor, CASH_BOOK) == 1


def test_equal_writes_that_wait_for_an_unknown_one_are_decided_with_it(visitor: Visitor) -> None:
    fill_cash_book_entry(visitor)
    fault(visitor, CASH_BOOK, kind="drop_after")
    visitor.send()
    visitor.sees("nobody knows whether the service acted")
    (unknown,) = parked(visitor)
    state = visitor.console.state
    with state.connector.open(state.settings.own_credential) as session:
        for key in ("another-1", "another-2"):
            with pytest.raises(LikelyRepeat):
                session.invoke(unknown.action, unknown.inputs, key=key)
        visitor.page.reload()
        visitor.sees("Equal writes that wait for this run: 2, 238.00 in all.")
        visitor.press("It happened")
        visitor.page.get_by_text("Never send those that wait").click()
        visitor.press("Yes, it is there")
        visitor.sees("Settled as done")
        assert {session.find_run(key).state for key in ("another-1", "another-2")} == {"rejected"}
    assert sent(visitor, CASH_BOOK) == 1


def test_what_did_not_happen_can_be_sent_after_all(visitor: Visitor) -> None:
    fill_cash_book_entry(visitor)
    fault(visitor, CASH_BOOK, kind="drop_before")
    visitor.send()
    visitor.press("It did not happen")
    visitor.press("Yes, it is not there")
    visitor.sees("Settled as not done")
    visitor.page.get_by_role("link", name="Use as template").click()
    visitor.page.wait_for_url("**/console/actions/**")
    visitor.page.get_by_label("Total amount").wait_for()
    visitor.wait_until_built()
    visitor.send()
    visitor.sees("Answered.")
    assert sent(visitor, CASH_BOOK) == 2
