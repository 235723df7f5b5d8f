"""Triggers in the browser: watched live, subscribed to, replayed; and a host that has no credential yet."""

from __future__ import annotations

from pathlib import Path
from time import sleep
from typing import Any

import httpx
from playwright.sync_api import expect

from tests.interfaces.console.running_console import KEY, running_console
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor
from tests.support.running_sandbox import Receiver

BANK = "111483902742913201"


def order(visitor: Visitor, path: str, **body: Any) -> None:
    answer = httpx.post(f"{visitor.console.sandbox.url}/sandbox{path}", json=body, trust_env=False)
    assert answer.status_code == 200, answer.text


def paid_lists(visitor: Visitor) -> int:
    record = httpx.get(f"{visitor.console.sandbox.url}/sandbox/record?limit=100000", trust_env=False).json()["data"]
    return sum(one["path"] == "/v2/banking/transactions" for one in record)


def test_new_transactions_are_seen_live_and_cost_a_credit_only_when_something_moved(visitor: Visitor) -> None:
    visitor.open("triggers/new_transaction")
    visitor.choose("Bank connection", "Hamburger Sparkasse")
    visitor.press("Watch live")
    visitor.sees("Watching. Seen so far: 0")
    visitor.press("Look now")
    asked = paid_lists(visitor)
    order(visitor, f"/bank-connections/{BANK}/refresh", transactions=2)
    visitor.press("Look now")
    visitor.sees("Watching. Seen so far: 2")
    expect(visitor.page.locator(".event")).to_have_count(2)
    visitor.picture("live-transactions")
    assert asked == paid_lists(visitor) - 1
    visitor.press("Stop")
    visitor.sees("Not watching.")


def test_what_the_service_writes_is_shown_as_text_and_never_run(visitor: Visitor) -> None:
    visitor.open("triggers/new_transaction")
    visitor.choose("Bank connection", "Hamburger Sparkasse")
    visitor.press("Watch live")
    visitor.sees("Watching. Seen so far: 0")
    nasty = "<img src=x onerror=\"document.title='owned'\">{{ 7 * 7 }}"
    order(visitor, "/transactions", description=nasty)
    visitor.press("Look now")
    visitor.sees(nasty)
    visitor.open("actions/list_transactions")
    visitor.choose("Bank connection", "Hamburger Sparkasse")
    visitor.press("Run")
    visitor.page.locator(".table-filter input").fill("onerror")  # only the rows in view are drawn
    visitor.page.locator(".data-table").get_by_text(nasty).first.wait_for()
    assert visitor.page.title() == "List transactions – Kontor"


def test_an_address_is_subscribed_gets_the_event_and_gets_it_again_on_replay(visitor: Visitor) -> None:
    receiver = Receiver()
    try:
        visitor.open("triggers/payment_settled")
        visitor.page.get_by_label("Address").fill(receiver.url)
        visitor.press("Subscribe")
        visitor.sees("The signing secret is shown only when you subscribe")
        visitor.picture("subscribed")
        visitor.press("Subscribe")
        visitor.sees("there is no second one")
        world = httpx.get(f"{visitor.console.sandbox.url}/sandbox/state", trust_env=False).json()
        payment = next(one["id"] for one in world["banking"]["payments"] if one["status"] == "executed")
        order(visitor, f"/payments/{payment}", status="settled")
        first = receiver.next()
        assert first["status"] == "settled"
        visitor.page.get_by_role("link", name="Open: Payment settled").click()
        visitor.sees("Delivered: ")
        visitor.picture("delivered")
        visitor.press("Send again")
        assert receiver.next() == first
        visitor.press("End subscription")
        visitor.sees("End this subscription?")
        visitor.press("Go back")
        visitor.page.get_by_role("alertdialog").wait_for(state="hidden")
        visitor.press("End subscription")
        visitor.page.get_by_role("alertdialog").get_by_role("button", name="End subscription").click()
        visitor.sees("The subscription has ended.")
    finally:
        receiver.close()


def test_a_foreign_webhook_url_is_taken_over_only_on_purpose(visitor: Visitor) -> None:
    foreign = "https://somebody.muster.example/hook"
    url = f"{visitor.console.sandbox.url}/v2/banking/webhook-url"
    headers = {"x-api-key": KEY}
    while "/hooks/" not in httpx.get(url, headers=headers, trust_env=False).text:
        sleep(0.05)  # the host registers itself as it starts: it would not see what comes between its look and that
    httpx.put(url, json={"webhook_url": foreign}, headers=headers, trust_env=False).raise_for_status()
    visitor.open("triggers/refresh_complete")
    visitor.press("Watch live")
    visitor.sees("The service already sends its events to somebody.muster.example.")
    assert foreign in httpx.get(url, headers=headers, trust_env=False).text
    visitor.picture("webhook-taken")
    visitor.press("Take the address over")
    visitor.sees("Watching. Seen so far")
    assert foreign not in httpx.get(url, headers=headers, trust_env=False).text


def test_what_kontor_tells_itself_is_subscribed_without_a_webhook_url(visitor: Visitor) -> None:
    visitor.console.state.context.public_url = None
    visitor.open("triggers/run_finished")
    visitor.press("Try it with the built-in inbox")
    visitor.sees("What this trigger finds now arrives in the built-in inbox.")
    assert visitor.page.get_by_role("button", name="Watch live").count() == 0


def test_a_forged_event_is_recorded_and_shown_and_fires_nothing(visitor: Visitor) -> None:
    visitor.open("triggers/payment_settled")
    visitor.press("Watch live")
    visitor.sees("Watching. Seen so far: 0")
    world = visitor.open("sandbox", visitor.context.new_page())
    world.get_by_role("button", name="Send a forged event").click()
    world.get_by_text("Done: Send a forged event.").wait_for()
    visitor.open("triggers", world)
    world.get_by_text("Payment status changed").last.wait_for()
    assert visitor.page.locator(".event").count() == 0


def test_a_host_without_a_credential_asks_for_one_and_never_shows_it_again(tmp_path: Path, browser: Any) -> None:
    with (
        running_console(tmp_path, own_credential=False) as console,
        Visitor(console, browser, SCREENSHOTS, locale="en-US", width=1280) as visitor,
    ):
        visitor.open("settings/key")
        visitor.sees("This host has no credential yet.")
        visitor.picture("no-credential")
        visitor.page.get_by_label("Service").fill(console.sandbox.url)
        visitor.page.get_by_label("API key").fill("wrong key")
        visitor.press("Test and show whose it is")
        visitor.page.get_by_role("alert").wait_for()
        visitor.page.get_by_label("API key").fill(KEY)
        visitor.press("Test and show whose it is")
        visitor.press("Keep this key")
        visitor.sees("The key works")
    assert KEY.encode() not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_receipt_is_uploaded_and_travels_with_the_entry(visitor: Visitor, tmp_path: Path) -> None:
    receipt = tmp_path / "KB-2026-0117.pdf"
    receipt.write_bytes(b"%PDF-1.7\n%receipt\n")
    visitor.open("actions/create_cash_book_entry")
    visitor.choose("Ledger connection", "Nordlicht Fahrradhandel GmbH")
    visitor.choose("Cash book", "Ladenkasse")
    visitor.page.get_by_label("Total amount").fill("5.00")
    visitor.page.get_by_label("Date and time").fill("2026-05-04T10:30")
    visitor.page.get_by_role("group", name="Line 1").get_by_label("Amount").fill("5.00")
    visitor.press("Add: Receipt images")
    visitor.page.locator("input[type=file]").set_input_files(str(receipt))
    visitor.sees("KB-2026-0117.pdf, 18 bytes")
    visitor.press("Dry run")
    visitor.sees("Nothing was sent")
    visitor.sees('"dateiname": "KB-2026-0117.pdf"')
    visitor.send()
    visitor.sees("Done.")
