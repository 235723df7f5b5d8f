"""What a role may not do, the console refuses on the server, whatever button is pressed. In a real browser."""

from __future__ import annotations

import re
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


def test_a_viewer_tests_no_key_and_is_told_of_no_missing_right(console: RunningConsole, browser: Any) -> None:
    with signed_in(console, browser, token(console, "viewer"), "en-US") as page:
        for place, seen in (("", "What changed"), ("settings/key", "kept sealed, known as")):
            page.goto(f"{console.url}/{place}")
            page.get_by_text(seen).first.wait_for()
            page.wait_for_timeout(500)
            assert page.get_by_text("This needs the role").count() == 0
            assert page.get_by_role("button", name="Test").count() == 0


@pytest.mark.parametrize("role", ["viewer", "operator", "payer", "approver"])
def test_only_an_admin_is_offered_to_take_the_webhook_url_over(
    console: RunningConsole, browser: Any, role: str
) -> None:
    with signed_in(console, browser, token(console, role), "en-US") as page:
        lose_webhook_url(console)
        before = webhook_writes(console)
        page.goto(f"{console.url}/")
        lost = page.locator("[data-kind=webhook_url_lost]")
        lost.get_by_text("For this one needs the role admin").wait_for()
        assert lost.get_by_role("button").count() == 0
        page.goto(f"{console.url}/triggers/payment_settled")
        page.get_by_text("What a flow gets").first.wait_for()
        assert page.get_by_role("checkbox", name="Take the webhook URL over").count() == 0
        assert (page.get_by_role("button", name="Subscribe").count() == 1) == (role in {"operator", "payer"})
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
def test_only_who_operates_is_offered_the_levers_of_the_sandbox(
    console: RunningConsole, browser: Any, role: str, may: bool
) -> None:
    with signed_in(console, browser, token(console, role), "en-US") as page:
        page.goto(f"{console.url}/sandbox")
        if may:
            page.get_by_role("button", name="Rate limit").click()
            page.get_by_text("Done: Rate limit").first.wait_for()
        else:
            page.get_by_text("For this one needs the role operator").wait_for()
            assert page.get_by_role("button", name="Rate limit").count() == 0
    assert len(RunningSandbox(console.sandbox).look("/state")["faults"]) == int(may)


def test_who_can_do_it_is_named(console: RunningConsole, browser: Any) -> None:
    headers = {"authorization": f"Bearer {HOST_TOKEN}"}
    for name, role, person in (("flow", "payer", "Ada Berg"), ("chef", "approver", "Jan Petersen")):
        body = {"name": name, "role": role, "person": person, "workspace": "default"}
        assert httpx.post(f"{console.base}/v1/tokens", json=body, headers=headers, trust_env=False).status_code == 201
    with signed_in(console, browser, token(console, "viewer"), "de-DE") as page:
        page.goto(f"{console.url}/actions/initiate_payment")
        page.get_by_text("Dafür braucht es die Rolle „Zahlen“: Ada Berg.").wait_for()
        assert page.get_by_role("button", name="Prüfen").count() == 0
        page.goto(f"{console.url}/triggers/new_transaction")
        page.get_by_text("Dafür braucht es die Rolle „Bedienen“: Ada Berg.").first.wait_for()


@pytest.mark.parametrize("role", ["viewer", "operator", "payer", "approver", "admin"])
def test_only_an_admin_reads_in_the_policy_whom_a_workspace_pays(
    console: RunningConsole, browser: Any, role: str
) -> None:
    iban, headers = "DE75512108001245126199", {"authorization": f"Bearer {HOST_TOKEN}"}
    with httpx.Client(base_url=console.base, headers=headers, trust_env=False) as host:
        assert host.put("/v1/policy", json={"known_payees": [iban]}).status_code == 200
    with signed_in(console, browser, token(console, role), "en-US") as page:
        page.goto(f"{console.url}/settings/policy")
        page.get_by_role("heading", name="Policy").first.wait_for()
        page.wait_for_timeout(1500)
        fields = page.locator("input").evaluate_all("all => all.map(one => one.value)")
        shown = re.sub(r"\s", "", page.content())  # it stands there in groups
        assert (iban in shown or iban in fields) == (role == "admin")
