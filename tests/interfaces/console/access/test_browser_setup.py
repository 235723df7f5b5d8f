"""A new user is led from the link to the first fired trigger; keys, budget and policy are pages of the settings."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import httpx

from tests.interfaces.console.running_console import KEY, running_console
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor

MAX_SECONDS = 120.0


def test_a_new_user_gets_from_the_link_to_the_first_fired_trigger_in_two_minutes(tmp_path: Path, browser: Any) -> None:
    begun = time.monotonic()
    with (
        running_console(tmp_path, own_credential=False) as console,
        Visitor(console, browser, SCREENSHOTS, locale="en-US", width=1280) as visitor,
    ):
        page = visitor.page
        visitor.context.clear_cookies()
        visitor.follow_link()
        visitor.sees("Set up step by step")
        visitor.picture("setup")
        page.get_by_role("link", name="Enter the API key of the service").click()
        page.get_by_label("Service").fill(console.sandbox.url)
        page.get_by_label("API key").fill("wrong key")
        visitor.press("Test and show whose it is")
        page.get_by_role("alert").wait_for()
        page.get_by_label("API key").fill(KEY)
        visitor.press("Test and show whose it is")
        visitor.sees("It is not kept yet.")
        visitor.press("Keep this key")
        visitor.sees("The key works")
        page.get_by_role("link", name="Home").click()
        page.get_by_role("link", name="Choose a first trigger").click()
        page.get_by_role("link", name="Payment settled").first.click()
        visitor.press("Try it with the built-in inbox")
        visitor.sees("now arrives in the built-in inbox")
        page.get_by_role("link", name="Home").click()
        page.get_by_role("link", name="See it fire").click()
        page.get_by_role("button", name="Settle:").first.click()
        visitor.sees("Done: Settle.")
        page.get_by_role("link", name="Inbox", exact=True).click()
        page.get_by_role("link", name="Payment settled").first.wait_for()
        visitor.picture("inbox")
        page.get_by_role("link", name="Home").click()
        page.get_by_role("link", name="Connect the first platform").wait_for()
        visitor.open("tokens")  # a token that is made and used is no platform yet
        page.get_by_label("Name, for example").fill("n8n")
        visitor.press("Create")
        visitor.sees("it is shown this once")
        token = page.locator("pre.code").inner_text().strip()
        for label in ("", "n8n"):
            headers = {"authorization": f"Bearer {token}", **({"x-kontor-quelle": label} if label else {})}
            assert httpx.get(f"{console.base}/v1/actions", headers=headers, trust_env=False).status_code == 200
            visitor.open("")
            visitor.wait_until_built()
            waits = page.get_by_role("link", name="Connect the first platform")
            waits.wait_for(state="hidden") if label else waits.wait_for()
    assert time.monotonic() - begun < MAX_SECONDS


def test_budget_and_policy_are_pages_of_the_settings(visitor: Visitor) -> None:
    visitor.open("settings")
    visitor.page.get_by_role("link", name="Budget").first.click()
    visitor.page.get_by_label("Credits per day", exact=True).fill("viele")
    visitor.press("Save")
    visitor.sees("must be a whole number of credits.")
    visitor.page.get_by_label("Credits per day", exact=True).fill("40")
    visitor.press("Save")
    visitor.sees("The budget is saved.")
    visitor.open("settings/budget")
    visitor.sees_value("Credits per day", "40")
    visitor.picture("settings-budget")
    visitor.open("settings/policy")
    visitor.sees("What this workspace allows")
    visitor.page.get_by_role("link", name="Access").first.click()
    visitor.page.locator("main h1", has_text="Access").wait_for()
