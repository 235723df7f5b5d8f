"""The operate page names what is wrong with a way to mend it; alerts go to the webhook that the workspace names."""

from __future__ import annotations

from datetime import timedelta

from playwright.sync_api import expect

from connector.runtime.records.rate_windows import ABOUT as RATE
from connector.store.triggers import timeline
from connector.store.trust import credentials
from tests.interfaces.console.flows.test_browser_subscriptions import GONE, settle_payments
from tests.interfaces.console.flows.test_browser_triggers import BANK, order
from tests.interfaces.console.visitor import Visitor
from tests.support.running_sandbox import Receiver


def test_what_is_wrong_is_on_the_operate_page_and_sent_as_an_alert_once(visitor: Visitor) -> None:
    receiver = Receiver()
    try:
        visitor.open("operate")
        visitor.sees("GLS Gemeinschaftsbank: the consent ends on")
        visitor.open("settings/alerts")
        visitor.page.get_by_label("Address").fill(receiver.url)
        visitor.press("Send alerts there")
        visitor.sees("The signing secret is shown only now")
        visitor.open("triggers/payment_settled")
        visitor.page.get_by_label("Address").fill(GONE)
        visitor.press("Subscribe")
        visitor.sees("Subscribed.")
        settle_payments(visitor, 1)
        visitor.open("subscriptions")
        visitor.sees("Payment settled is failing. The address cannot be reached.")
        while (alert := receiver.events.get(timeout=60))["kind"] != "subscription_failing":
            assert alert["state"] == "begun"
        assert alert["state"] == "begun"
        visitor.picture("operate")
        visitor.page.get_by_role("link", name="Open the subscription").click()
        visitor.press("End subscription")
        visitor.page.get_by_role("alertdialog").get_by_role("button", name="End subscription").click()
        visitor.sees("The subscription has ended.")
        over = receiver.events.get(timeout=60)
        assert (over["kind"], over["state"]) == ("subscription_failing", "over")
    finally:
        receiver.close()


def test_what_the_api_does_not_confirm_of_a_bank_is_not_told_as_having_happened(visitor: Visitor) -> None:
    visitor.open("triggers/refresh_complete")
    visitor.press("Watch live")  # so that events come here
    visitor.sees("Watching. Seen so far: 0")
    order(visitor, "/events", event="connection_error", data={"connection_id": BANK, "error_message": "forged"})
    order(visitor, f"/bank-connections/{BANK}/refresh", transactions=1)
    visitor.sees("Watching. Seen so far: 1")
    visitor.open("operate")
    visitor.sees(f"Bank connection {BANK}: Refresh complete")
    expect(visitor.page.get_by_text(f"Bank connection {BANK}:")).to_have_count(1)


def test_the_timeline_tells_of_the_rate_window(visitor: Visitor) -> None:
    state = visitor.console.state
    now, own = state.context.now(), state.settings.own_credential
    assert own is not None
    about, until = RATE + own.fingerprint, {"until": now + timedelta(minutes=5)}
    state.database.write(lambda c: credentials.save(c, state.vault, own, now, "default", chosen=True)).result()
    state.database.write(lambda c: timeline.record(c, about, "rate.refused", now, until)).result()
    state.database.write(lambda c: timeline.record(c, about, "rate.free", now, None)).result()
    visitor.open("operate")
    visitor.sees("The service refused a request (429): requests wait until")
    visitor.sees("Requests leave again.")
