"""What people once found wrong with the console, each as a walk that would find it again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from connector.interfaces.console.localizer import Localizer
from tests.interfaces.console.forms.test_browser_buttons import fill_payment
from tests.interfaces.console.running_console import RunningConsole, troubled_console
from tests.interfaces.console.runs.test_browser_runs import set_policy
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor


@pytest.mark.parametrize("locale", ["en-US", "de-DE"])
@pytest.mark.parametrize("action", ["initiate_payment", "create_cash_book_entry"])
def test_a_form_says_one_thing_of_repeats_and_shows_help_only_when_asked(
    console: RunningConsole, browser: Any, locale: str, action: str
) -> None:
    localize = Localizer(locale[:2])
    with Visitor(console, browser, SCREENSHOTS, locale=locale, width=1280) as visitor:
        visitor.open(f"actions/{action}")
        visitor.sees(localize("key_note"))
        intro = visitor.page.locator(".intro").inner_text()
        assert not any(word in intro for word in ("again", "twice", "noch einmal", "doppelt"))
        helps = visitor.page.locator(".field-help")
        assert helps.count() > 3
        assert helps.filter(visible=True).count() == 0
        opener = visitor.page.locator(".help-button").first
        opener.click()
        helps.filter(visible=True).first.wait_for()


def test_what_waits_says_that_nothing_was_sent_and_nothing_else(visitor: Visitor) -> None:
    set_policy(visitor.console, approve_above="100,00")
    fill_payment(visitor)
    visitor.send()
    visitor.sees("It waits for the approval of another person")
    said = visitor.page.locator("main").inner_text()
    assert "What was sent" not in said
    assert "Handed to the bank" not in said


def test_a_locked_button_shows_that_it_is_locked_and_opens_by_itself(visitor: Visitor) -> None:
    fill_payment(visitor)
    visitor.press("Review")
    send = visitor.page.locator(".review .q-btn.primary")
    visitor.page.locator(".review .q-btn.primary.locked .q-icon").wait_for()
    expect(send).to_have_attribute("title", Localizer("en")("locked_for_a_moment"))
    send.click()  # waits until it is open
    visitor.sees("Handed to the bank, not settled yet.")


def test_home_and_operate_agree_on_a_consent_that_is_over(tmp_path: Path, browser: Any) -> None:
    with (
        troubled_console(tmp_path) as (console, _),
        Visitor(console, browser, SCREENSHOTS, locale="en-US", width=1280) as visitor,
    ):
        for place in ("", "operate"):
            visitor.open(place)
            visitor.page.locator("[data-kind=consent_over]").first.wait_for()
            assert "Everything runs" not in visitor.page.locator("main").inner_text()
