"""Doctor and sandbox: nothing is spent unasked, one truth about the webhook URL, no block that outlives its reason."""

from __future__ import annotations

import time
from typing import Any

import httpx

from connector.interfaces.console.pages.doctor import CHECKED_AGAIN
from connector.runtime.doctor import REQUESTS
from tests.interfaces.console.visitor import Visitor

SPENT = REQUESTS + CHECKED_AGAIN
QUICK_SECONDS = 30.0


def requests_made(visitor: Visitor) -> int:
    answer = httpx.get(f"{visitor.console.sandbox.url}/sandbox/record?limit=100000", trust_env=False)
    rows: list[Any] = answer.json()["data"]
    return len(rows)


def test_the_doctor_says_how_many_requests_it_makes_and_asks_first(visitor: Visitor) -> None:
    visitor.open("doctor")
    visitor.sees(f"Examining sends {SPENT} requests to the service, which cost no credits.")
    visitor.sees("Nothing was examined yet.")
    before = requests_made(visitor)
    visitor.press("Examine now")
    visitor.sees("accepts the key")
    visitor.sees("names are assumed")
    assert requests_made(visitor) - before <= SPENT
    visitor.picture("doctor")


def test_overview_and_doctor_agree_on_the_webhook_url_and_show_no_secret(visitor: Visitor) -> None:
    visitor.open("triggers/payment_settled")
    visitor.page.get_by_label("Address").fill("http://127.0.0.1:9/nobody")
    visitor.press("Subscribe")
    visitor.sees("Subscribed.")
    url = httpx.get(
        f"{visitor.console.sandbox.url}/v2/banking/webhook-url", headers={"x-api-key": "sandbox-key"}, trust_env=False
    ).json()["data"]["webhook_url"]
    shown = f"{visitor.console.base}/hooks/[hidden]"
    visitor.open("doctor")
    visitor.press("Examine now")
    visitor.sees(f"Events go to {shown}, set from here.")
    assert url.rpartition("/")[2] not in visitor.page.content()
    visitor.open("operate")
    visitor.sees("events come here")
    visitor.sees(shown)
    assert url.rpartition("/")[2] not in visitor.page.content()


def test_after_the_rate_limit_is_lifted_the_host_blocks_itself_no_longer(visitor: Visitor) -> None:
    world = visitor.open("sandbox", visitor.context.new_page())
    world.get_by_role("button", name="Rate limit").click()
    world.get_by_text("Done: Rate limit.").wait_for()
    visitor.open("actions/get_webhook_url")
    visitor.press("Run")
    visitor.sees("Possible again from")  # the service said so, many minutes ahead
    world.get_by_role("button", name="Mend everything").click()
    world.get_by_text("Done: Mend everything.").wait_for()
    begun = time.monotonic()
    visitor.press("Run")
    visitor.page.get_by_text("Done.").first.wait_for(timeout=QUICK_SECONDS * 1000)
    assert time.monotonic() - begun < QUICK_SECONDS
