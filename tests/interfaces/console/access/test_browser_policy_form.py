"""The policy is set with controls that say what follows, on a desktop and on a phone, in both languages."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from connector.core.writes import policy
from connector.interfaces.console.localizer import Localizer
from connector.operations import money
from tests.interfaces.console.running_console import RunningConsole
from tests.interfaces.console.test_browser_areas import token
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor
from tests.support.running_sandbox import HOST_TOKEN

IBAN = "DE02120300000000202051"


def stored(console: RunningConsole) -> dict[str, Any]:
    headers = {"authorization": f"Bearer {HOST_TOKEN}"}
    return dict(httpx.get(f"{console.base}/v1/policy", headers=headers, trust_env=False).json()["policy"])


@pytest.mark.parametrize(("locale", "width"), [("en-US", 1440), ("de-DE", 390)])
def test_each_setting_has_its_control_says_what_follows_and_what_saving_changes(
    console: RunningConsole, browser: Any, locale: str, width: int
) -> None:
    localize = Localizer(locale[:2])
    with Visitor(console, browser, SCREENSHOTS, locale=locale, width=width) as visitor:
        page = visitor.page
        visitor.open("settings/policy")
        visitor.wait_until_built()
        visitor.sees(localize("policy_off_approve_above"))
        visitor.sees(localize("policy_nothing_changed"))
        amount = page.get_by_label(localize("policy_label_approve_above"), exact=True)
        amount.fill("500")
        five_hundred = localize("euros", amount=localize.amount(Decimal(500)))
        visitor.sees(localize("policy_on_approve_above", value=five_hundred))
        page.get_by_label(localize("policy_label_payees")).click()
        page.get_by_role("option").filter(has_text=localize("policy_choice_payees_known")).click()
        visitor.sees(localize("policy_chosen_payees_known"))
        entry = page.get_by_label(localize("policy_payee_new"), exact=True)
        entry.fill("DE02 1203 0000 0000 2020 52")
        entry.press("Enter")
        visitor.sees(localize("policy_expects_iban", value="DE02 1203 0000 0000 2020 52"))
        entry.fill(f"{IBAN}, DE02 1005 0000 0054 5404 02")
        entry.press("Enter")
        visitor.sees("DE02 1203 0000 0000 2020 51")
        page.get_by_role("switch", name=localize("policy_label_key_required")).click()
        visitor.sees(localize("policy_on_key_required"))
        page.get_by_label(localize("policy_label_approval_hours"), exact=True).fill("24")
        title = console.state.connector.action("initiate_payment").title.in_(localize.lang)
        page.get_by_role("checkbox", name=title).click()
        visitor.sees(localize("policy_on_agents", value=title))
        shown = page.locator(".change-lines li")
        page.wait_for_function("document.querySelectorAll('.change-lines li').length === 6")
        assert any("→" in text and "500" in text for text in shown.all_inner_texts())
        assert stored(console)["approve_above"] is None, "nothing is saved yet"
        assert page.evaluate("document.scrollingElement.scrollWidth") <= width
        visitor.picture(f"policy-{locale}-{width}")
        visitor.press(localize("policy_save"))
        visitor.sees(localize("policy_saved"))
        visitor.sees(localize("policy_nothing_changed"))
    found = stored(console)
    assert (found["approve_above"], found["payees"], found["key_required"]) == (500, "known", True)
    assert (found["approval_hours"], found["agents"]) == (24, ["initiate_payment"])
    assert found["known_payees"] == [IBAN, "DE02100500000054540402"]


def test_what_is_wrong_is_told_at_its_field_and_nothing_is_saved(visitor: Visitor) -> None:
    visitor.open("settings/policy")
    visitor.wait_until_built()
    visitor.page.get_by_label("Most in a day", exact=True).fill("viel")
    visitor.page.get_by_label("A request waits", exact=True).fill("9000")
    visitor.page.get_by_label("Most in one payment", exact=True).fill("20")
    visitor.press("Save")
    visitor.sees("Not saved: A request waits, Most in a day.")
    field = visitor.page.locator("[data-path=most_per_day]")
    expect(field.locator(".field-error")).to_contain_text("An amount in EUR from 0")
    hours = visitor.page.locator("[data-path=approval_hours] .field-error").inner_text()
    assert hours == "A whole number from 1 to 8760; empty for what is usual."
    assert stored(visitor.console)["most_each"] is None
    visitor.press("Discard the changes")
    visitor.sees("Nothing has been changed yet.")
    visitor.sees_value("Most in one payment", "")


def test_a_setting_that_the_form_has_never_heard_of_can_be_set(
    console: RunningConsole, browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    values: dict[str, Any] = {"quiet_hours": 3, "quiet_days": False, "quiet_amount": None}
    readers = {"quiet_hours": policy._whole(1, 9), "quiet_days": policy._flag, "quiet_amount": policy._amount}
    more = {
        name: policy.Setting(name, read.kind, values[name], read, read.choices, read.least, read.most)
        for name, read in readers.items()
    }
    given: list[dict[str, Any]] = []

    async def show(*_: Any, **__: Any) -> Any:
        return {"policy": {"key_required": False, **values}}

    async def change(context: Any, actor: Any, changed: dict[str, Any], workspace: Any) -> Any:
        given.append(dict(changed))
        return {"policy": {"key_required": False, **values, **changed, "quiet_days": False}}

    monkeypatch.setattr(policy, "SETTINGS", {**policy.SETTINGS, **more})
    monkeypatch.setattr("connector.interfaces.console.forms.policy_words.SETTINGS", {**policy.SETTINGS, **more})
    monkeypatch.setattr(money, "show_policy", show)
    monkeypatch.setattr(money, "set_policy", change)
    with Visitor(console, browser, SCREENSHOTS, locale="en-US", width=1280) as visitor:
        visitor.open("settings/policy")
        visitor.wait_until_built()
        visitor.sees("Further settings")
        visitor.page.get_by_label("Quiet hours", exact=True).fill("5")
        visitor.sees("Set to 5 hours.")
        visitor.page.get_by_label("Quiet amount", exact=True).fill("12,50")
        visitor.page.get_by_role("switch", name="Quiet days").click()
        visitor.press("Save")
        visitor.sees("Not in force yet: Quiet days. Another person has to agree.")
        visitor.sees("Saved. It holds from now on.")
    assert [sorted(one) for one in given] == [["quiet_amount", "quiet_days", "quiet_hours"]]


def test_who_may_not_change_the_policy_reads_what_follows_from_it(console: RunningConsole, browser: Any) -> None:
    reading = token(console, "reads", "viewer", "Ada")
    with Visitor(console, browser, SCREENSHOTS, locale="de-DE", width=390, token=reading) as visitor:
        visitor.open("settings/policy")
        visitor.sees("Keine Zahlung wartet wegen ihres Betrags auf eine andere Person.")
        assert visitor.page.get_by_role("button", name="Speichern").count() == 0
