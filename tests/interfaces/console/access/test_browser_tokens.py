"""An admin gives access in the console and takes it away; nobody else sees who has access."""

from __future__ import annotations

import httpx
from playwright.sync_api import expect

from tests.interfaces.console.visitor import Visitor


def status(visitor: Visitor, token: str) -> int:
    """What the host answers to a token."""
    headers = {"authorization": f"Bearer {token}"}
    return httpx.get(f"{visitor.console.base}/v1/runs", headers=headers, trust_env=False).status_code


def test_access_is_given_shown_once_and_taken_away(visitor: Visitor) -> None:
    visitor.open("settings/key")
    visitor.sees("The key works")
    visitor.open("tokens")
    visitor.press("Create")
    visitor.sees("printable text of 1 to 100 characters")
    visitor.page.get_by_label("Ends after so many days").fill("bald")
    visitor.press("Create")
    visitor.sees("A number of days from 1 to")
    visitor.page.get_by_label("Name, for example").fill("Kassenabschluss")
    visitor.page.get_by_label("Whose it is, empty for a machine").fill("Jan Petersen")
    visitor.page.get_by_label("Ends after so many days").fill("30")
    visitor.page.get_by_role("button", name="Create").dblclick()
    visitor.sees("it is shown this once")
    token = visitor.page.locator("pre.code").inner_text().strip()
    assert token.startswith("kontor_")
    expect(visitor.page.get_by_text("Jan Petersen")).to_have_count(1)
    visitor.picture("tokens-1-made")
    assert status(visitor, token) == 200

    visitor.open("tokens")
    visitor.sees("Kassenabschluss")
    assert token not in visitor.page.content()
    visitor.press("Revoke")
    visitor.page.get_by_role("alertdialog").get_by_role("button", name="Revoke").click()
    visitor.sees("revoked")
    visitor.picture("tokens-2-revoked")
    assert status(visitor, token) == 401
