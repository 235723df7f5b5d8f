"""Who builds flows, who decides about money and who runs the host each walk their way, by keyboard alone.

In both languages, on a wide screen and on a phone, light and dark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import expect

from connector.interfaces.console.localizer import Localizer
from connector.store.rates import usage
from connector.store.rates.usage import Budget
from connector.store.trust import credentials
from tests.interfaces.console.running_console import KEY, RunningConsole, running_console, troubled_console
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor
from tests.support.running_sandbox import HOST_TOKEN
from tests.support.second_person import sign_in

LOOKS = [
    *(("en-US", 1440, "light"), ("en-US", 390, "dark")),
    *(("de-DE", 1440, "dark"), ("de-DE", 390, "light")),
]
"""Every language, width and theme, each once with each of the others."""
MAX_TABS = 150
NAME = """() => { const one = document.activeElement;
  return (one.getAttribute('aria-label') || one.labels?.[0]?.innerText || one.innerText || '').trim(); }"""
PAYMENT = {
    "account_id": "222483902742913301",
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": "297.50",
}


class Keyboard:
    """Somebody who uses no mouse; `activated` counts what was pressed."""

    def __init__(self, visitor: Visitor, locale: str) -> None:
        self.visitor, self.page = visitor, visitor.page
        self.localize = Localizer(locale[:2])
        self.activated = 0

    def reach(self, name: str, *, back: bool = False) -> None:
        """Go with Tab to what begins with this name."""
        for _ in range(MAX_TABS):
            self.page.keyboard.press("Shift+Tab" if back else "Tab")
            if self.page.evaluate(NAME).startswith(name):
                return
        raise AssertionError(f"{name!r} is not reached")

    def activate(self, name: str, *, back: bool = False) -> None:
        """Go there and press Enter, once it can be pressed."""
        self.reach(name, back=back)
        self.page.keyboard.press("Enter")
        self.activated += 1

    def open(self, message: str, *, back: bool = False) -> None:
        """Follow a link by the name of its message, to a page that is then built."""
        before = self.page.url
        self.activate(self.localize(message), back=back)
        self.page.wait_for_url(lambda url: url != before)
        self.visitor.wait_until_built()

    def sees(self, message: str, **values: Any) -> None:
        """Wait for a sentence."""
        self.visitor.sees(self.localize(message, **values))


@contextmanager
def at_the_keyboard(
    console: RunningConsole, browser: Any, look: tuple[str, int, str], token: str = ""
) -> Iterator[Keyboard]:
    locale, width, scheme = look
    with Visitor(console, browser, SCREENSHOTS, locale=locale, width=width, token=token) as visitor:
        visitor.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        yield Keyboard(visitor, locale)


@pytest.fixture
def console(tmp_path: Path) -> Iterator[RunningConsole]:
    with running_console(tmp_path) as console:
        yield console


def keep_key(console: RunningConsole, change: Callable[[Any, str], None] = lambda connection, key: None) -> None:
    """Let the workspace hold the host's own key, and change something of it."""
    state, own = console.state, console.state.settings.own_credential
    assert own is not None
    now = state.context.now()

    def keep(connection: Any) -> None:
        credentials.save(connection, state.vault, own, now, "default", chosen=True)
        change(connection, own.fingerprint)

    state.database.write(keep).result()


def admin(console: RunningConsole) -> httpx.Client:
    headers = {"authorization": f"Bearer {HOST_TOKEN}", "x-api-key": KEY}
    return httpx.Client(base_url=console.base, headers=headers, trust_env=False, timeout=60)


def token(console: RunningConsole, name: str, role: str, person: str) -> str:
    if role == "approver":
        return sign_in(console.base, person, role)
    body = {"name": name, "role": role, "person": person, "workspace": "default"}
    made = admin(console).post("/v1/tokens", json=body)
    assert made.status_code == 201, made.text
    return str(made.json()["token"])


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
def test_who_builds_gets_from_the_link_to_a_fired_trigger(
    console: RunningConsole, browser: Any, look: tuple[str, int, str]
) -> None:
    with at_the_keyboard(console, browser, look) as builder:
        visitor, page, localize = builder.visitor, builder.page, builder.localize
        visitor.context.clear_cookies()
        page.goto(console.link())
        page.get_by_role("button").focus()  # the only one of the page
        page.keyboard.press("Enter")
        page.wait_for_url(f"{console.url}**")
        builder.sees("setup_title")
        visitor.wait_until_built()
        builder.open("setup_trigger")
        title = console.state.connector.trigger("payment_settled").title.in_(localize.lang)
        builder.activate(title)
        builder.sees("subscribe_inbox")
        visitor.wait_until_built()
        builder.activate(localize("subscribe_inbox"))
        builder.sees("subscribed_inbox")
        builder.open("place_overview", back=True)
        builder.open("setup_fired")
        builder.activate(f"{localize('lever_settle')}:")
        builder.sees("lever_done", what=localize("lever_settle"))
        builder.open("place_inbox", back=True)
        page.locator(".event").first.wait_for()
        builder.open("place_overview", back=True)
        page.locator(".change").filter(has_text=title).first.wait_for()


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
def test_who_decides_approves_with_two_presses_from_the_link_and_three_from_the_start(
    console: RunningConsole, browser: Any, look: tuple[str, int, str]
) -> None:
    name = "-".join(map(str, look))
    keep_key(console)
    payer, chef = token(console, f"flow {name}", "payer", "Ada"), token(console, f"chef {name}", "approver", "Jan")
    with admin(console) as http:
        assert http.put("/v1/policy", json={"approve_above": "100"}).status_code == 200
    runs = []
    for number in (1, 2):
        made = httpx.post(
            f"{console.base}/v1/actions/initiate_payment/run",
            json={"inputs": {**PAYMENT, "description": f"{name} {number}"}, "key": f"{name} {number}"},
            headers={"authorization": f"Bearer {payer}"},
            trust_env=False,
            timeout=60,
        )
        assert made.status_code == 202, made.text
        runs.append(made.json()["run"])
    with at_the_keyboard(console, browser, look, chef) as approver:
        visitor, page, localize = approver.visitor, approver.page, approver.localize

        def decide() -> None:
            approver.activate(localize("approve"))
            confirm = page.get_by_role("alertdialog").get_by_role("button", name=localize("approve_confirm"))
            page.wait_for_function("one => !one.disabled", arg=confirm.element_handle())  # locked for a moment
            approver.activate(localize("approve_confirm"))
            page.get_by_role("alertdialog").wait_for(state="detached")

        visitor.open(f"runs/{runs[0]}")
        visitor.wait_until_built()
        decide()
        assert approver.activated == 2
        visitor.open("")
        page.wait_for_function("document.querySelectorAll('[data-kind=approval_waiting]').length === 1")
        visitor.wait_until_built()
        approver.activated = 0
        approver.open("need_decide")
        decide()
        assert approver.activated == 3
    for run in runs:
        shown = httpx.get(
            f"{console.base}/v1/runs/{run}", headers={"authorization": f"Bearer {chef}"}, trust_env=False
        ).json()["run"]
        assert shown["approval"]["decided_person"] == "Jan"


@pytest.mark.long
@pytest.mark.parametrize("look", LOOKS)
def test_who_runs_the_host_finds_the_trouble_and_mends_it(
    console: RunningConsole, browser: Any, look: tuple[str, int, str]
) -> None:
    with at_the_keyboard(console, browser, look) as operator:
        visitor, page, localize = operator.visitor, operator.page, operator.localize
        day = console.state.context.clock.berlin_today().isoformat()

        def spend(connection: Any, key: str) -> None:
            usage.set_budget(connection, key, Budget(per_day=5))
            usage.add(connection, key, day, "", "list_transactions", Decimal(5))

        keep_key(console, spend)
        visitor.open("")
        visitor.wait_until_built()
        operator.open("navigation_operate")
        operator.sees("attention_budget_used_up")
        expect(page.locator(".areas .count").filter(visible=True)).to_have_count(1)
        operator.open("open_budget")
        operator.reach(localize("budget_per_day"))
        page.keyboard.press("Control+A")
        page.keyboard.type("40")
        operator.activate(localize("policy_save"))
        operator.sees("budget_saved")
        operator.open("navigation_operate", back=True)
        page.locator("[data-kind=budget_used_up]").wait_for(state="detached")


def test_the_numbers_say_how_much_waits_in_each_area(tmp_path: Path, browser: Any) -> None:
    with (
        troubled_console(tmp_path) as (console, _),
        Visitor(console, browser, SCREENSHOTS, locale="en-US", width=1440) as visitor,
    ):
        visitor.open("")
        visitor.wait_until_built()
        shown = visitor.page.locator(".areas .area").all_inner_texts()
        assert [text.split("\n")[:2] for text in shown[1:3]] == [["Build", "2"], ["Decide", "4"]]
        assert int(shown[3].split("\n")[1]) >= 9
        for kind in ("outcome_unknown", "approval_waiting", "subscription_failing", "consent_over", "budget_used_up"):
            expect(visitor.page.locator(f"[data-kind={kind}]")).not_to_have_count(0)
        visitor.open("approvals")
        visitor.sees("Initiate payment: nobody knows whether it happened.")
        visitor.open("subscriptions")
        visitor.sees("Payment settled is failing.")
        visitor.picture("home-with-troubles")
