"""A failing subscription in the browser: noticed, paused, mended, resumed; and a test event."""

from __future__ import annotations

from typing import Any

import httpx

from tests.interfaces.console.running_console import KEY
from tests.interfaces.console.visitor import Visitor
from tests.support.running_sandbox import Receiver

GONE = "http://127.0.0.1:9/nobody"


def order(visitor: Visitor, path: str, **body: Any) -> None:
    httpx.post(f"{visitor.console.sandbox.url}/sandbox{path}", json=body, trust_env=False).raise_for_status()


def settle_payments(visitor: Visitor, count: int) -> None:
    """Let payments settle, one of which is under way from the start."""
    url = visitor.console.sandbox.url
    for number in range(count):
        world = httpx.get(f"{url}/sandbox/state", trust_env=False).json()["banking"]
        open_ones = [one["id"] for one in world["payments"] if one["status"] in {"executed", "initiated", "processing"}]
        if not open_ones:
            payment = {"account_id": world["accounts"][0]["id"], "creditor_name": "Reifen Voss KG"}
            payment |= {"creditor_iban": "DE02120300000000202051", "amount": 10 + number, "currency_code": "EUR"}
            answer = httpx.post(f"{url}/v2/banking/payments", json=payment, headers={"x-api-key": KEY}, trust_env=False)
            open_ones = [answer.json()["data"]["id"]]
        order(visitor, f"/payments/{open_ones[0]}", status="settled")


def test_a_failing_subscription_is_noticed_paused_mended_and_resumed(visitor: Visitor) -> None:
    receiver = Receiver()
    try:
        visitor.open("triggers/payment_settled")
        visitor.page.get_by_label("Address").fill(GONE)
        visitor.press("Subscribe")
        visitor.sees("Subscribed.")
        settle_payments(visitor, 1)
        visitor.open("subscriptions")  # noticed: red, with the reason
        visitor.page.locator(".pill.bad", has_text="failing").wait_for()
        visitor.sees("The address cannot be reached.")
        visitor.page.get_by_role("link", name="Open: Payment settled").click()
        visitor.page.locator(".pill.bad", has_text="failing").wait_for()
        visitor.sees("Next try:")
        visitor.sees("1 delivery waits.")
        visitor.sees("Delivery failed.")
        visitor.picture("subscription-failing")
        visitor.press("Pause")
        visitor.page.locator(".pill.warn", has_text="paused").wait_for()
        visitor.press("Send test event")
        visitor.sees("The test event was not accepted.")
        settle_payments(visitor, 1)
        visitor.sees("2 deliveries wait.")
        visitor.page.get_by_text("Change address").first.click()
        visitor.page.get_by_label("New address").fill(receiver.url)
        visitor.page.get_by_role("button", name="Change address").last.click()
        visitor.sees("From now on it goes to 127.0.0.1.")
        visitor.press("Send test event")
        visitor.sees("The test event was accepted (status 200). It counts as no delivery.")
        assert receiver.next()["_test"] is True
        visitor.press("Resume")
        visitor.page.locator(".pill.good", has_text="active").wait_for()
        assert {receiver.next()["status"], receiver.next()["status"]} == {"settled"}
        visitor.sees("Deliveries arrive again.")
        visitor.picture("subscription-mended")
        lines = visitor.page.locator(".timeline-line").all_inner_texts()
        assert any("Paused" in line for line in lines)
        assert any("Resumed" in line for line in lines)
        assert visitor.page.locator("table.grid tbody tr").count() == 2, "test events are no deliveries"
    finally:
        receiver.close()


def test_a_subscription_of_nobody_is_not_found(visitor: Visitor) -> None:
    visitor.open("subscriptions/none-such")
    visitor.sees("There is no subscription none-such.")
    visitor.complaints = [one for one in visitor.complaints if "404" not in one]  # the browser tells of it itself


def test_why_new_transactions_take_long_is_shown(visitor: Visitor) -> None:
    receiver = Receiver()
    try:
        visitor.open("triggers/new_transaction")
        visitor.choose("Bank connection", "Hamburger Sparkasse")
        visitor.page.get_by_label("Address").fill(receiver.url)
        visitor.press("Subscribe")
        visitor.sees("Subscribed.")
        visitor.page.get_by_role("link", name="Open: New transaction").click()
        visitor.sees("is read only after a free sign that something moved")
        visitor.picture("subscription-next-look")
    finally:
        receiver.close()
