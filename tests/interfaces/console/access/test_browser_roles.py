"""What a role may not do, the console refuses on the server, whatever button is pressed. In a real browser."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from sqlalchemy import update

from connector.core.values import json
from connector.store.triggers import hooks
from tests.interfaces.console.running_console import RunningConsole
from tests.interfaces.console.runs.test_browser_runs import signed_in
from tests.support.running_sandbox import HOST_TOKEN, RunningSandbox


def token(console: RunningConsole, role: str) -> str:
    headers = {"authorization": f"Bearer {HOST_TOKEN}"}
    body = {"name": f"a-{role}", "role": role, "workspace": "*"}
    made = httpx.post(f"{console.base}/v1/tokens", json=body, headers=headers, trust_env=False)
    assert made.status_code == 201, made.text
    return str(made.json()["token"])


def webhook_writes(console: RunningConsole) -> int:
    record = RunningSandbox(console.sandbox).requests()
    return sum(one["method"] != "GET" and "webhook" in one["path"] for one in record)


def lose_webhook_url(console: RunningConsole) -> None:
    """Let a check have found another address at the service."""
    words = {"en": "Another address.", "de": "Eine andere Adresse."}
    lost = {"state": "drifted", "trouble": json.encode({"message": words, "remedy": words}).decode()}
    changed = console.state.database.write(
        lambda connection: connection.execute(update(hooks.hooks).values(lost)).rowcount
    ).result()
    assert changed == 1


def test_a_viewers_overview_tests_no_key_and_is_told_of_no_missing_right(console: RunningConsole, browser: Any) -> None:
    def key_tests() -> int:
        # The host itself asks for the accounts of one bank connection after another.
        asked = [
            one["query"] for one in RunningSandbox(console.sandbox).requests() if one["path"] == "/v2/banking/accounts"
        ]
        return sum("connection_id" not in query for query in asked)

    before = key_tests()  # the first test here: no other visitor has called
    with signed_in(console, browser, token(console, "viewer"), "en-US") as page:
        page.get_by_text("kept sealed, known as").first.wait_for()
        page.get_by_text("What is stored is shown.").wait_for()
        page.wait_for_timeout(1000)
        assert page.get_by_text("This needs the role").count() == 0
        assert page.get_by_role("button", name="Test").count() == 0
    assert key_tests() == before


@pytest.mark.parametrize("role", ["viewer", "operator", "payer", "approver"])
def test_only_an_admin_takes_the_webhook_url_over(console: RunningConsole, browser: Any, role: str) -> None:
    with signed_in(console, browser, token(console, role), "en-US") as page:
        lose_webhook_url(console)
        before = webhook_writes(console)
        page.goto(f"{console.url}/")
        page.get_by_role("button", name="Take the address over").click()
        page.get_by_text("This needs the role admin").first.wait_for()
        page.goto(f"{console.url}/triggers/payment_settled")
        page.get_by_role("checkbox", name="Take the webhook URL over").click()
        page.locator("[role=checkbox][aria-checked=true]").wait_for()
        page.get_by_role("button", name="inbox").click()
        page.get_by_text("This needs the role admin").first.wait_for()
    assert webhook_writes(console) == before


def test_an_admin_takes_the_webhook_url_over(console: RunningConsole, browser: Any) -> None:
    with signed_in(console, browser, token(console, "admin"), "en-US") as page:
        lose_webhook_url(console)
        page.goto(f"{console.url}/")
        page.get_by_role("button", name="Take the address over").click()
        page.get_by_text("Another address.").first.wait_for(state="detached")
    found = console.state.database.read(lambda c: [row.state for row in c.execute(hooks.hooks.select())])
    assert found == ["active"]


@pytest.mark.parametrize(("role", "may"), [("viewer", False), ("approver", False), ("operator", True)])
def test_only_who_operates_moves_the_levers_of_the_sandbox(
    console: RunningConsole, browser: Any, role: str, may: bool
) -> None:
    with signed_in(console, browser, token(console, role), "en-US") as page:
        page.goto(f"{console.url}/sandbox")
        page.get_by_role("button", name="Rate limit").click()
        page.get_by_text("Done: Rate limit" if may else "This needs the role operator").first.wait_for()
    assert len(RunningSandbox(console.sandbox).look("/state")["faults"]) == int(may)
