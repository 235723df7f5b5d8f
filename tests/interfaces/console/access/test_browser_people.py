"""People at the console, in Chromium: invited, signed in, seen in the header, approving, and ended at once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx

from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.interfaces.console.running_console import RunningConsole
from tests.interfaces.console.visitor import Visitor
from tests.support.running_sandbox import HOST_TOKEN

PASSPHRASE = "drei blaue Fahrräder im Hof"
PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": 5000,
    "currency_code": "EUR",
    "description": "Rechnung V-88120",
}


@contextmanager
def browsing(browser: Any) -> Iterator[Any]:
    """A browser of somebody who was never here."""
    context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 900})
    context.set_default_timeout(40_000)
    try:
        yield context.new_page()
    finally:
        context.close()


def host(console: RunningConsole) -> httpx.Client:
    headers = {"authorization": f"Bearer {HOST_TOKEN}"}
    return httpx.Client(base_url=console.base, headers=headers, trust_env=False, timeout=30)


def invited(console: RunningConsole, name: str, role: str) -> str:
    with host(console) as http:
        made = http.post("/v1/people", json={"name": name, "role": role, "workspace": "default"})
    assert made.status_code == 201, made.text
    return str(made.json()["link"])


def accept(page: Any, link: str) -> None:
    page.goto(link)
    page.get_by_label("Passphrase", exact=True).fill(PASSPHRASE)
    page.get_by_label("The passphrase again").fill(PASSPHRASE)
    page.get_by_role("button", name="Accept and sign in").click()
    page.locator("main h1").wait_for()


def sign_in(page: Any, name: str) -> None:
    page.get_by_label("Name", exact=True).fill(name)
    page.get_by_label("Passphrase", exact=True).fill(PASSPHRASE)
    page.get_by_role("button", name="Sign in", exact=True).click()


def who(page: Any) -> str:
    shown = page.get_by_role("group", name="Who is signed in")
    shown.get_by_text("default").wait_for()
    return str(shown.inner_text())


def test_from_an_invitation_to_the_approval_by_a_second_person(
    console: RunningConsole, visitor: Visitor, browser: Any
) -> None:
    with host(console) as http:
        http.post("/v1/keys", headers={"x-api-key": "sandbox-key"}, params={"workspace": "default"})
        assert http.put("/v1/policy", json={"approve_above": 500}).status_code == 200
    visitor.open("people")
    visitor.page.get_by_label("Name of the person").fill("Jan Petersen")
    visitor.page.get_by_role("combobox", name="What this person may do").click()
    visitor.page.get_by_role("option").filter(has_text="approver:").click()
    visitor.press("Invite")
    shown = visitor.page.locator("code, pre").filter(has_text="/console/invitation?code=").first
    link = re.search(r"http\S+/console/invitation\?code=[\w-]+", shown.inner_text())
    assert link is not None
    visitor.page.goto(link[0])
    visitor.sees("accepts no invitation")
    visitor.complaints.clear()  # the browser complains of the status 403
    with browsing(browser) as ada, browsing(browser) as jan:
        accept(jan, link[0])
        assert [part in who(jan) for part in ("Jan Petersen", "approver", "default")] == [True] * 3
        accept(ada, invited(console, "Ada Berg", "payer"))
        with httpx.Client(base_url=console.base, trust_env=False, timeout=30) as http:
            entered = http.post("/v1/sign-in", json={"name": "Ada Berg", "passphrase": PASSPHRASE}).json()
            headers = {"authorization": f"Bearer {entered['token']}"}
            asked = http.post("/v1/actions/initiate_payment/run", json={"inputs": PAYMENT}, headers=headers)
            assert asked.status_code == 202, asked.text
            ada.goto(f"{console.url}/approvals")
            ada.get_by_text("Reifen Voss KG").first.wait_for()
            assert ada.get_by_role("button", name="Approve").count() == 0, "who asked is not offered it"
            jan.goto(f"{console.url}/approvals")
            jan.get_by_role("button", name="Approve").first.click()
            jan.get_by_role("button", name="Yes, send it").click()
            jan.get_by_text("Nothing waits").first.wait_for()
            shown_run = http.get(f"/v1/runs/{asked.json()['run']}", headers=headers).json()["run"]
        assert (shown_run["approval"]["decided_person"], shown_run["approval"]["asked_person"]) == (
            *("Jan Petersen",),
            "Ada Berg",
        )


def test_a_revoked_persons_open_page_can_do_nothing(console: RunningConsole, browser: Any) -> None:
    with browsing(browser) as page, host(console) as http:
        accept(page, invited(console, "Jan Petersen", "admin"))
        page.goto(f"{console.url}/people")
        page.get_by_label("Name of the person").fill("Erika Muster")
        (id,) = (one["id"] for one in http.get("/v1/people").json()["people"] if one["name"] == "Jan Petersen")
        assert http.delete(f"/v1/people/{id}").status_code == 200
        page.get_by_role("button", name="Invite", exact=True).click()
        page.wait_for_timeout(1500)
        assert [one["name"] for one in http.get("/v1/people").json()["people"]] == ["Jan Petersen"]
        page.goto(f"{console.url}/people")
        page.get_by_role("button", name="Sign in", exact=True).wait_for()


def test_a_deep_link_survives_the_sign_in(console: RunningConsole, browser: Any) -> None:
    link = invited(console, "Jan Petersen", "viewer")
    with browsing(browser) as page:
        accept(page, link)
        page.goto(f"{console.url}/leave")
        page.goto(f"{console.url}/runs?state=unknown")
        assert "KONTOR_HOST_TOKEN" not in page.content()
        sign_in(page, "jan  PETERSEN")
        page.locator("main h1").wait_for()
        assert page.url == f"{console.url}/runs?state=unknown"
        assert "viewer" in who(page)


def test_whoever_manages_the_host_adds_a_workspace_and_works_in_it(visitor: Visitor) -> None:
    visitor.open("workspaces")
    visitor.page.get_by_label("Name of the workspace").fill("kunde-b")
    visitor.press("Add")
    visitor.sees("'kunde-b' is added")
    visitor.press("Switch to kunde-b")
    visitor.page.get_by_role("group", name="Who is signed in").get_by_text("kunde-b").wait_for()
    visitor.open("settings/key")
    visitor.sees("This host has no credential yet")


def test_switching_takes_all_open_pages_along_and_leaves_drafts_behind(
    visitor: Visitor, console: RunningConsole
) -> None:
    with host(console) as http:
        assert http.post("/v1/workspaces", json={"name": "kunde-b"}).status_code == 201
    other = visitor.page.context.new_page()
    other.goto(f"{console.url}/people")
    other.get_by_role("group", name="Who is signed in").get_by_text("default").wait_for()
    owner = other.evaluate("window.kontorConnection.owner")
    visitor.open("workspaces")
    visitor.press("Switch to kunde-b")
    other.get_by_role("group", name="Who is signed in").get_by_text("kunde-b").wait_for()
    assert other.evaluate("window.kontorConnection.owner") != owner, "a form is not filled in from another workspace"


def test_a_key_of_the_default_workspace_is_replaced_and_removed(visitor: Visitor, console: RunningConsole) -> None:
    visitor.open("settings/key")
    visitor.press("Use another key")
    visitor.page.get_by_label("New API key").fill("sandbox-key-2")
    visitor.press("Test and show whose it is")
    visitor.sees(re.compile("organisation|shows no payments"))
    visitor.press("Test and replace")
    visitor.sees("The key is replaced")
    visitor.open("settings/key")
    visitor.press("Remove the key")
    visitor.page.locator("main").get_by_role("button", name="Remove the key").last.click()
    visitor.sees("This host has no credential yet")
