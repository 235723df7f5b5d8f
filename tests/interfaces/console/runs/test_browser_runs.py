"""The page of a run, from the form to what became of it. In a real browser."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from connector.client.key_states import key_state
from connector.core.values import json
from connector.interfaces.console.runs import run_details
from connector.runtime.writes import write
from connector.store.runs import runs
from connector.store.runs.runs import NewRun
from tests.interfaces.console.forms.test_browser_buttons import (
    CASH_BOOK,
    PAYMENTS,
    fault,
    fill_cash_book_entry,
    fill_payment,
    parked,
    send_button,
    sent,
)
from tests.interfaces.console.running_console import KEY, RunningConsole
from tests.interfaces.console.runs.test_browser_approvals import approver
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor
from tests.support.running_sandbox import HOST_TOKEN


@contextmanager
def signed_in(console: RunningConsole, browser: Any, token: str, locale: str = "de-DE") -> Iterator[Any]:
    """Another person in a browser of their own."""
    context = browser.new_context(locale=locale, viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.goto(console.url)
    page.locator("input[name=token]").fill(token)
    page.locator("input[name=token]").press("Enter")
    page.locator("main h1").wait_for()
    yield page
    context.close()


def set_policy(console: RunningConsole, **given: Any) -> None:
    headers = {"authorization": f"Bearer {HOST_TOKEN}"}
    httpx.put(f"{console.base}/v1/policy", json=given, headers=headers, trust_env=False).raise_for_status()


def settle_payment(console: RunningConsole) -> None:
    """Let the bank settle the newest payment."""
    url = console.sandbox.url
    listed = httpx.get(f"{url}/v2/banking/payments", headers={"x-api-key": KEY}, trust_env=False).json()["data"]
    newest = max(listed, key=lambda payment: payment["created_at"])
    body = {"status": "settled"}
    httpx.post(f"{url}/sandbox/payments/{newest['id']}", json=body, trust_env=False).raise_for_status()


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_finding_1_what_became_of_a_press_is_in_view(
    console: RunningConsole, browser: Any, width: int, height: int
) -> None:
    with Visitor(console, browser, SCREENSHOTS, locale="en-US", width=width) as visitor:
        visitor.page.set_viewport_size({"width": width, "height": height})
        fill_cash_book_entry(visitor)
        visitor.send()
        visitor.sees("Done.")
        assert _in_view(visitor.page, ".standing")
        expect(visitor.page.locator(".standing")).to_have_attribute("aria-live", "polite")
        visitor.open("actions/list_bank_accounts")
        visitor.press("Run")
        visitor.sees("Done.")
        visitor.page.wait_for_function(IN_VIEW, arg=".result")


IN_VIEW = """selector => {
    const at = document.querySelector(selector).getBoundingClientRect()
    return at.top >= 0 && at.top < innerHeight - 40
}"""


def _in_view(page: Any, selector: str) -> bool:
    return bool(page.wait_for_function(IN_VIEW, arg=selector))


def test_finding_2_all_errors_at_once_cleared_on_edit_and_a_draft_outlives_language_and_reload(
    visitor: Visitor,
) -> None:
    visitor.open("actions/initiate_payment")
    page = visitor.page
    page.get_by_label("Purpose").fill("Rechnung V-88120")
    page.get_by_label("Amount").fill("viel")
    page.get_by_label("Purpose").press("Enter")
    visitor.sees("4 entries need attention.")
    invalid = page.locator("main [aria-invalid=true]")
    expect(invalid).to_have_count(4)
    expect(page.get_by_label("Amount")).to_have_attribute("aria-required", "true")
    described = (page.get_by_label("Amount").get_attribute("aria-describedby") or "").split()
    assert [id for id in described if "field-error" in (page.locator(f"#{id}").get_attribute("class") or "")]
    page.get_by_label("Amount").fill("297.50")
    page.wait_for_function("document.querySelectorAll('main [aria-invalid=true]').length === 3")
    visitor.picture("finding-2-errors")
    page.get_by_role("link", name="Deutsch").click()
    visitor.sees("Zahlung auslösen")
    expect(page.get_by_label("Betrag")).to_have_value("297.50")
    page.reload()
    page.get_by_label("Betrag").wait_for()
    expect(page.get_by_label("Verwendungszweck")).to_have_value("Rechnung V-88120")
    assert sent(visitor, PAYMENTS) == 0


def test_finding_3_a_payment_that_is_only_initiated_is_not_told_as_done(visitor: Visitor) -> None:
    fill_payment(visitor)
    visitor.send()
    visitor.sees("Handed to the bank, not settled yet.")
    visitor.sees("Nothing is charged yet; 3 credits when it settles.")
    assert visitor.page.locator(".standing .good").count() == 0
    settle_payment(visitor.console)
    visitor.sees("Settled. The bank has paid it.")
    visitor.sees("Charged: 3 credits.")
    assert visitor.page.locator(".standing .good").count() > 0
    visitor.picture("finding-3-settled")


def test_finding_4_on_the_overview_settling_asks_first_and_nothing_is_raw(visitor: Visitor) -> None:
    fill_cash_book_entry(visitor)
    fault(visitor, CASH_BOOK, kind="drop_after")
    visitor.send()
    visitor.sees("nobody knows whether the service acted")
    visitor.open("")
    visitor.sees("nobody knows whether it happened")
    needs = visitor.page.locator(".needs")
    expect(needs).to_contain_text("Ladenkasse")
    assert "{" not in needs.inner_text()
    visitor.press("It did not happen")
    visitor.sees("it would happen twice")
    assert len(parked(visitor)) == 1
    visitor.picture("finding-4-overview")
    visitor.page.get_by_label("Note, for example where you looked").fill("Not in the cash book")
    visitor.press("Yes, it is not there")
    visitor.page.get_by_text("nobody knows whether it happened").wait_for(state="detached")
    visitor.open("runs")
    visitor.page.locator(".run-link").first.click()
    visitor.sees("Note: Not in the cash book")


def test_a_payment_is_approved_by_a_second_person_and_settled_watched_in_one_page(
    visitor: Visitor, browser: Any
) -> None:
    set_policy(visitor.console, approve_above="100,00")
    token = approver(visitor)["authorization"].removeprefix("Bearer ")
    fill_payment(visitor)
    visitor.press("Review")
    visitor.sees("Another person must approve this because of its amount.")
    visitor.sees("First payment to this IBAN.")
    send_button(visitor.page).click()
    visitor.sees("It waits for the approval of another person")
    address = visitor.page.url
    assert sent(visitor, PAYMENTS) == 0
    with signed_in(visitor.console, browser, token) as other:
        other.get_by_role("link", name="Ansehen und entscheiden").click()
        other.get_by_text("Reifen Voss KG").first.wait_for()
        other.get_by_role("button", name="Freigeben", exact=True).click()
        other.get_by_role("button", name="Ja, senden").click()
        other.get_by_text("Der Bank übergeben").wait_for()
    visitor.sees("Approved by Jan Petersen.")
    visitor.sees("Handed to the bank, not settled yet.")
    settle_payment(visitor.console)
    visitor.sees("Settled. The bank has paid it.")
    visitor.picture("approval-settled")
    assert visitor.page.url == address
    assert sent(visitor, PAYMENTS) == 1


def test_who_asked_can_withdraw_it_and_it_is_never_sent(visitor: Visitor) -> None:
    set_policy(visitor.console, approve_above="100,00")
    fill_payment(visitor)
    visitor.send()
    visitor.sees("It waits for the approval of another person")
    visitor.press("Withdraw")
    visitor.press("Yes, withdraw it")
    visitor.sees("Whoever asked for it has withdrawn it.")
    visitor.page.get_by_role("link", name="Try again").wait_for()
    assert sent(visitor, PAYMENTS) == 0


def test_a_payment_over_the_limit_is_told_before_the_press(visitor: Visitor) -> None:
    set_policy(visitor.console, most_each="100,00")
    fill_payment(visitor)
    visitor.press("Review")
    visitor.page.locator(".review [role=alert]").wait_for()
    assert send_button(visitor.page).count() == 0
    assert sent(visitor, PAYMENTS) == 0


def test_finding_8_a_wait_says_what_for_and_until_when_and_can_be_cancelled(visitor: Visitor) -> None:
    state = visitor.console.state
    assert state.settings.own_credential is not None
    fill_cash_book_entry(visitor)
    visitor.press("Review")
    send_button(visitor.page).click(trial=True)
    key_state(state.settings.own_credential).governor.block(40.0, state.context.clock.monotonic())
    send_button(visitor.page).click()
    visitor.sees("Waiting for the rate window until")
    visitor.sees("Nothing was sent yet.")
    visitor.picture("wait-rate")
    visitor.press("Cancel")
    visitor.sees("Cancelled before it was sent.")
    visitor.sees("Cancelled by host.")
    key_state(state.settings.own_credential).governor.block(0.0, state.context.clock.monotonic())
    assert sent(visitor, CASH_BOOK) == 0


def test_runs_are_found_by_text_state_and_kind(visitor: Visitor) -> None:
    fill_payment(visitor)
    visitor.send()
    visitor.sees("Answered.")
    fill_cash_book_entry(visitor)
    visitor.send()
    visitor.sees("Answered.")
    visitor.open("runs")
    lines = visitor.page.locator(".run-line")
    visitor.sees("2 shown")
    visitor.page.get_by_label("Search").fill("voss 297")
    visitor.page.get_by_label("Search").press("Enter")
    visitor.sees("1 shown")
    expect(lines).to_contain_text("Reifen Voss KG")
    visitor.page.reload()  # the address names the filters
    visitor.sees("1 shown")
    visitor.page.get_by_label("Search").fill("")
    visitor.page.get_by_label("Search").press("Enter")
    visitor.sees("2 shown")
    visitor.choose("State", "Refused")
    visitor.sees("No run matches.")
    visitor.open("runs?kind=read")
    with visitor.page.expect_download() as download:
        visitor.press("Save as CSV")
    assert download.value.suggested_filename == "kontor-runs.csv"
    visitor.open("runs/0000")
    visitor.sees("There is no run")
    visitor.complaints = [one for one in visitor.complaints if "404" not in one]


def test_a_payment_by_keyboard_alone(visitor: Visitor) -> None:
    visitor.open("actions/initiate_payment")
    page, keys = visitor.page, visitor.page.keyboard
    page.get_by_label("Purpose").wait_for()
    _tab_to(page, "From account")
    keys.type("Geschäft")
    page.get_by_role("option").filter(has_text="Geschäftskonto").first.wait_for()
    keys.press("ArrowDown")
    keys.press("Enter")
    page.get_by_role("listbox").wait_for(state="detached")
    for label, text in (
        ("Recipient *", "Reifen Voss KG"),
        ("Recipient's IBAN", "DE02120300000000202051"),
        ("Amount", "12.50"),
        ("Purpose", "Rechnung 7"),
    ):
        _tab_to(page, label)
        keys.type(text)
    keys.press("Enter")
    visitor.sees("Check before it is sent")
    send_button(page).click(trial=True)  # waits until it may be pressed
    _tab_to(page, "Send now")
    keys.press("Enter")
    visitor.sees("Handed to the bank, not settled yet.")
    page.wait_for_function("document.activeElement.classList.contains('standing')")
    assert sent(visitor, PAYMENTS) == 1


def _tab_to(page: Any, name: str) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "(e => e.ariaLabel || e.labels?.[0]?.innerText || e.innerText || '')(document.activeElement)"
        )
        if focused.strip().startswith(name):
            return
    raise AssertionError(f"no way by Tab to {name}")


def test_a_switch_of_language_or_theme_keeps_the_filters(visitor: Visitor) -> None:
    page = visitor.page
    visitor.open("runs?kind=read&text=M%26S+50%25")
    page.get_by_role("link", name="Deutsch").click()
    visitor.sees("Vorgänge")
    assert page.url.endswith("/runs?kind=read&text=M%26S+50%25")
    search = page.get_by_label("Suche")
    expect(search).to_have_value("M&S 50%")
    search.fill("Müller & Söhne")
    search.press("Enter")
    page.wait_for_url("**/runs?*M%C3%BCller*")
    changed = page.url
    for name, then in (("English", "Theme: auto"), ("Theme: auto", "Theme: light")):
        page.get_by_role("link", name=name).click()
        page.get_by_role("link", name=then).wait_for()
        assert page.url == changed
    page.get_by_role("link", name="Skip").focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"{changed}#main")
    expect(page.get_by_label("Search")).to_have_value("Müller & Söhne")


def test_a_page_that_takes_longer_than_usual_is_shown(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    load = run_details.load

    async def slowly(*given: Any) -> Any:
        await asyncio.sleep(4)
        return await load(*given)

    fill_cash_book_entry(visitor)
    visitor.send()
    visitor.page.wait_for_url("**/runs/*")
    monkeypatch.setattr(run_details, "load", slowly)
    answer = visitor.page.reload()
    assert answer.status == 200
    visitor.sees("Done.")


def test_the_navigation_marks_runs_once_a_form_has_become_a_run(visitor: Visitor) -> None:
    current = visitor.page.locator("nav [aria-current=page]")
    fill_cash_book_entry(visitor)
    expect(current).to_have_text("Actions")
    visitor.send()
    visitor.sees("Done.")
    visitor.page.wait_for_url("**/runs/*")
    visitor.page.locator("nav [aria-current=page]", has_text="Runs").wait_for()
    expect(current).to_have_count(1)
    visitor.page.reload()
    visitor.sees("Done.")
    expect(current).to_have_text("Runs")


def test_a_run_whose_sender_died_is_settled_on_its_own_page(visitor: Visitor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write, "DEAD_AFTER_SECONDS", 2.0)
    state, now = visitor.console.state, visitor.console.state.context.now()
    body = json.encode({"kassenname": "Ladenkasse"})
    new = NewRun("a" * 32, "default", None, "f" * 16, "create_cash_book_entry", "2:1", body, "gone")
    for moment, offered in ((now, 0), (now - timedelta(minutes=2), 1)):
        state.database.write(lambda c: c.execute(runs.runs.delete())).result()
        state.database.write(lambda c, moment=moment: runs.insert(c, new, "sending", moment)).result()
        visitor.open(f"runs/{new.id}")
        visitor.page.locator(".standing .notice").wait_for()
        assert visitor.page.get_by_role("button", name="It did not happen").count() == offered
    visitor.sees("nobody knows whether the service acted")
    visitor.press("It did not happen")
    visitor.press("Yes, it is not there")
    visitor.sees("nobody may be at it any more")
    visitor.page.locator(".standing", has_text="Settled").wait_for()
    found = state.database.read(lambda c: runs.find(c, "default", new.id))
    assert found is not None
    assert found.state == "settled"


def test_what_was_reviewed_is_what_is_sent_also_when_it_was_changed_while_the_review_loads(visitor: Visitor) -> None:
    fill_payment(visitor, amount="297.50")
    slow = {"kind": "slow", "times": 1, "seconds": 3, "match": {"method": "GET", "path": PAYMENTS}}
    httpx.post(f"{visitor.console.sandbox.url}/sandbox/faults", json=slow, trust_env=False).raise_for_status()
    visitor.press("Review")
    amount = visitor.page.get_by_label("Amount")
    amount.fill("311.07")
    amount.blur()
    review = visitor.page.locator(".review")
    review.wait_for()
    shown = review.inner_text()
    assert "311.07" in shown
    assert "297.50" not in shown
    send_button(visitor.page).click()
    visitor.sees("Handed to the bank, not settled yet.")
    assert sent(visitor, PAYMENTS) == 1
    made = httpx.get(f"{visitor.console.sandbox.url}{PAYMENTS}", headers={"x-api-key": KEY}, trust_env=False).json()[
        "data"
    ]
    assert str(max(made, key=lambda payment: payment["created_at"])["amount"]) == "311.07"


def test_a_known_iban_with_another_name_is_amber_in_the_review_and_in_the_approvals(visitor: Visitor) -> None:
    set_policy(visitor.console, changed_payees="approve")
    fill_payment(visitor, amount="12.50")
    visitor.page.get_by_label("Recipient's IBAN").fill("DE16400501500022110048")
    visitor.press("Review")
    warning = "was paid under the name 'Velofabrik Münster AG' before"
    visitor.page.locator(".review .notice.warn", has_text=warning).wait_for()
    visitor.page.locator(".review .notice.warn", has_text="a payee that has changed").wait_for()
    send_button(visitor.page).click()
    visitor.open("approvals")
    visitor.page.locator(".need .notice.warn", has_text=warning).wait_for()
    assert sent(visitor, PAYMENTS) == 0
