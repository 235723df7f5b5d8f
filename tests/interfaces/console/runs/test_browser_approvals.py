"""A payment above the limit waits in the console, is not approved by who asked, and is sent when another does."""

from __future__ import annotations

import time
from typing import Any

import httpx

from tests.interfaces.console.forms.test_browser_buttons import PAYMENTS, fill_payment, sent
from tests.interfaces.console.visitor import Visitor
from tests.support.second_person import sign_in


def approver(visitor: Visitor) -> dict[str, str]:
    """The headers of another person who may approve."""
    return {"authorization": f"Bearer {sign_in(visitor.console.base, 'Jan Petersen', 'approver', '*')}"}


def test_a_large_payment_waits_until_another_person_approves_it(visitor: Visitor) -> None:
    visitor.open("approvals")
    visitor.sees("Nothing waits for approval.")
    visitor.page.get_by_role("link", name="What needs an approval").click()
    visitor.page.wait_for_url("**/settings/policy")
    field: Any = visitor.page.get_by_label("Approval above", exact=True)
    field.fill("viel")
    visitor.press("Save")
    visitor.sees("An amount in EUR from 0, with at most two decimals")
    field.fill("100,00")
    visitor.press("Save")
    visitor.sees("Saved.")
    visitor.picture("approvals-1-policy")

    fill_payment(visitor)
    visitor.send()
    visitor.sees("It waits for the approval of another person")
    visitor.picture("approvals-2-waits")
    assert sent(visitor, PAYMENTS) == 0

    visitor.open("approvals")
    visitor.sees("Reifen Voss KG")
    visitor.sees("You asked for it; another person decides.")
    assert visitor.page.get_by_role("button", name="Approve").count() == 0
    visitor.picture("approvals-3-own")
    assert sent(visitor, PAYMENTS) == 0

    other = approver(visitor)
    (waiting,) = httpx.get(f"{visitor.console.base}/v1/approvals", headers=other, trust_env=False).json()["runs"]
    approved = httpx.post(f"{visitor.console.base}/v1/runs/{waiting['id']}/approve", headers=other, trust_env=False)
    assert approved.status_code == 200, approved.text
    visitor.sees("Nothing waits for approval.")
    deadline = time.monotonic() + 40
    while sent(visitor, PAYMENTS) == 0 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert sent(visitor, PAYMENTS) == 1
