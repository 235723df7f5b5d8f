"""What people do with the console, in a real browser."""

from __future__ import annotations

from itertools import pairwise

import httpx
import pytest
from playwright.sync_api import expect

from tests.interfaces.console.visitor import Visitor

CLIENT = "Nordlicht Fahrradhandel GmbH"
PLACES = (
    "",
    "actions",
    "actions/create_cash_book_entry",
    "actions/initiate_payment",
    "runs",
    "triggers",
    "triggers/payment_settled",
    "triggers/new_transaction",
    "approvals",
    "tokens",
    "sandbox",
    "exports",
    "doctor",
    "subscriptions",
    "inbox",
    "settings",
    "settings/key",
    "settings/budget",
    "settings/policy",
    "settings/alerts",
    "operate",
)


def acts(visitor: Visitor, path: str) -> list[object]:
    """What the service was asked to do under a path."""
    record = httpx.get(f"{visitor.console.sandbox.url}/sandbox/record?limit=100000", trust_env=False).json()["data"]
    return [one for one in record if one["path"].startswith(path) and one["method"] == "POST"]


def test_a_newcomer_walks_from_the_first_page_to_a_settled_payment_seen_live(visitor: Visitor) -> None:
    visitor.open("")
    visitor.sees("Set up step by step")
    visitor.picture("walk-1-home")
    visitor.page.get_by_role("link", name="Build").click()
    visitor.page.get_by_role("link", name="Initiate payment").click()
    visitor.choose("From account", "Geschäftskonto")
    visitor.page.get_by_label("Recipient *", exact=True).fill("Reifen Voss KG")
    visitor.page.get_by_label("Recipient's IBAN").fill("DE02 1203 0000 0000 2020 51")
    visitor.page.get_by_label("Amount").fill("297.50")
    visitor.page.get_by_label("Purpose").fill("Rechnung V-88120")

    visitor.press("Dry run")
    visitor.sees("Nothing was sent")
    visitor.sees("/v2/banking/payments")
    visitor.picture("walk-2-dry-run")
    assert not acts(visitor, "/v2/banking/payments")

    visitor.page.get_by_text("Copy as").click()
    visitor.press("requests, Python")
    visitor.sees('os.environ["KONTOR_API_KEY"]')
    visitor.send()
    visitor.sees("Handed to the bank, not settled yet.")
    visitor.sees("Nothing is charged yet")
    visitor.picture("walk-3-paid")
    assert len(acts(visitor, "/v2/banking/payments")) == 1

    world = visitor.open("sandbox", visitor.context.new_page())
    world.get_by_role("button", name="Settle: Reifen Voss KG").click()
    world.get_by_text("Done: Settle.").wait_for()
    visitor.picture("walk-4-sandbox", world)
    visitor.page.bring_to_front()
    visitor.sees("Settled. The bank has paid it.")
    visitor.sees("Charged: 3 credits.")
    visitor.picture("walk-5-settled")


def test_a_cash_book_entry_one_cent_off_is_told_while_typing_then_corrected_and_booked(visitor: Visitor) -> None:
    visitor.open("actions/create_cash_book_entry")
    visitor.choose("Ledger connection", CLIENT)
    visitor.choose("Cash book", "Ladenkasse")
    visitor.page.get_by_label("Total amount").fill("119.01")
    visitor.page.get_by_label("Date and time").fill("2026-05-04T10:30")
    first = visitor.page.get_by_role("group", name="Line 1")
    first.get_by_label("Amount").fill("100.50")
    first.get_by_label("Counter account").fill("8400")
    visitor.press("Add: Lines")
    second = visitor.page.get_by_role("group", name="Line 2")
    second.get_by_label("Amount").fill("18.50")
    second.get_by_label("Counter account").fill("84A0")
    visitor.sees("Sum of the lines: 119.00 EUR – off by −0.01 EUR")

    visitor.press("Review")
    visitor.sees("The difference is 0.01 EUR")
    visitor.picture("cash-1-one-cent-off")
    assert not acts(visitor, "/v2/ledger-duo/kassenbuch-advanced")

    visitor.press("Use as total")
    visitor.sees("equals the total")
    visitor.press("Review")
    visitor.sees("does not consist of digits")  # a warning: it is sent as it is
    visitor.press("Send now")
    visitor.sees("Done.")
    visitor.picture("cash-2-booked")
    assert len(acts(visitor, "/v2/ledger-duo/kassenbuch-advanced")) == 1

    visitor.open("operate")
    visitor.sees("Spent by action")
    visitor.picture("cash-3-credits")


def test_results_are_shown_as_charts_where_people_would_rather_look(visitor: Visitor) -> None:
    visitor.open("actions/get_open_items")
    visitor.choose("Ledger connection", CLIENT)
    visitor.press("Run")
    visitor.page.locator("table.bars").wait_for()
    visitor.sees("31 to 60 days")
    visitor.picture("result-open-items")

    visitor.open("actions/get_trial_balance")
    visitor.choose("Ledger connection", CLIENT)
    visitor.choose("Start of the fiscal year", "2026")
    visitor.press("Run")
    visitor.page.locator("table.bars").wait_for()
    visitor.picture("result-trial-balance")

    visitor.open("actions/list_transactions")
    visitor.choose("Bank account", "Geschäftskonto")
    visitor.press("Run")
    visitor.page.locator("svg .course").wait_for()
    visitor.picture("result-transactions")


def test_german_is_spoken_to_a_german_browser_and_can_be_switched(german_visitor: Visitor) -> None:
    visitor = german_visitor
    visitor.open("")
    visitor.sees("Braucht einen Menschen")
    expect(visitor.page.locator("html")).to_have_attribute("lang", "de")
    visitor.open("actions/create_cash_book_entry")
    visitor.sees("Kassenbuchung anlegen")
    visitor.page.get_by_label("Gesamtbetrag").fill("1.119,00")
    visitor.page.get_by_role("group", name="Zeile 1").get_by_label("Betrag").fill("1119,00")
    visitor.sees("Summe der Zeilen: 1.119,00 EUR – gleich dem Gesamtbetrag")
    visitor.picture("german-form")
    visitor.page.get_by_role("link", name="English").click()
    visitor.sees("Create cash book entry")
    expect(visitor.page.locator("html")).to_have_attribute("lang", "en")


@pytest.mark.long
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_fits_a_phone(phone_visitor: Visitor, theme: str) -> None:
    visitor = phone_visitor
    visitor.open(f"theme/{theme}")
    for place in PLACES:
        visitor.open(place)
        visitor.wait_until_built()
        wide = visitor.page.evaluate("document.scrollingElement.scrollWidth")
        assert wide <= 390, f"{place} is {wide} pixels wide"
        visitor.picture(f"phone-{theme}-{place.replace('/', '-') or 'overview'}")


def test_a_broken_service_is_told_with_its_remedy_and_ids_can_still_be_typed(visitor: Visitor) -> None:
    visitor.open("sandbox")
    order = {"kind": "malformed", "times": None, "match": {"path": "/v2/"}}
    httpx.post(f"{visitor.console.sandbox.url}/sandbox/faults", json=order, trust_env=False)
    visitor.sees("broken answer ·")
    visitor.open("settings/key")
    visitor.page.get_by_role("alert").first.wait_for()
    visitor.picture("broken-1-key")

    visitor.open("actions/get_transaction")
    visitor.sees("The list cannot be had.")
    field = visitor.page.get_by_role("combobox", name="Bank account")
    field.fill("222483902742913301")
    visitor.page.get_by_label("Transaction").fill("900000000000000001")
    visitor.picture("broken-2-dropdown")
    visitor.press("Dry run")
    visitor.sees("account_id=222483902742913301")

    visitor.open("sandbox")
    visitor.press("Mend everything")
    visitor.sees("Nothing is broken.")
    visitor.open("settings/key")
    visitor.sees("The key works")


def test_a_lost_answer_is_parked_and_settled_after_asking_back(visitor: Visitor) -> None:
    visitor.open("sandbox")
    visitor.press("Lose the next write's answer")
    visitor.sees("acts, but its answer is lost ·")
    visitor.open("actions/create_cash_book_entry")
    visitor.choose("Ledger connection", CLIENT)
    visitor.choose("Cash book", "Ladenkasse")
    visitor.page.get_by_label("Total amount").fill("5.00")
    visitor.page.get_by_label("Date and time").fill("2026-05-04T10:30")
    visitor.page.get_by_role("group", name="Line 1").get_by_label("Amount").fill("5.00")
    visitor.send()
    visitor.sees("nobody knows whether the service acted")
    visitor.open("")
    visitor.sees("Create cash book entry: nobody knows whether it happened.")
    visitor.picture("parked-1")
    visitor.press("It happened")
    visitor.press("Yes, it is there")
    visitor.page.get_by_text("nobody knows whether it happened").wait_for(state="detached")


def test_everything_can_be_reached_with_the_keyboard_alone(visitor: Visitor) -> None:
    visitor.open("triggers/credits_low")
    reached = set()
    for _ in range(50):
        visitor.page.keyboard.press("Tab")
        name = visitor.page.evaluate(
            "(document.activeElement.ariaLabel || document.activeElement.innerText || '').trim()"
        )
        reached.add(name.split("\n")[0])
    assert {
        "Skip to the content",
        "Home",
        "Build",
        "Decide",
        "Operate",
        "Deutsch",
        "Watch live",
        "Subscribe",
    } <= reached


@pytest.mark.parametrize("place", PLACES)
def test_headings_are_in_order_and_every_field_and_button_has_a_name(visitor: Visitor, place: str) -> None:
    visitor.open(place)
    visitor.wait_until_built()
    levels = visitor.page.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    nameless = visitor.page.evaluate(
        """[...document.querySelectorAll('main input:not([type=hidden]), main textarea, main button, header a')]
        .filter(e => !e.classList.contains('hidden'))
        .filter(e => !(e.labels?.length || e.ariaLabel || e.innerText?.trim() || e.closest('label, [aria-label]')))
        .map(e => e.outerHTML.slice(0, 200))"""
    )
    assert nameless == []
