"""What is typed is kept by this person's browser: over cuts, reloads and restarts, until it is sent or discarded."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from connector.interfaces.console.forms.drafts import with_typed
from tests.interfaces.console.cable import Cable, Fault
from tests.interfaces.console.forms.test_browser_connection import requests_to
from tests.interfaces.console.running_console import RunningConsole, running_console
from tests.interfaces.console.test_browser_areas import token
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor
from tests.support.parts import PARTS, SEED

PAYMENT = "actions/initiate_payment"
STORED = "() => Object.entries(localStorage).filter(([key]) => key.startsWith('kontor-draft')).map(String).join()"
SHORT, LONG = 10.0, 60.0
BATCH, BATCHES = 5, 10
"""Fifty moments; those of a batch are lived through at the same time, each in a browser context of its own."""


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningConsole]:
    with running_console(tmp_path_factory.mktemp("drafts")) as console:
        yield console


@dataclass
class Typist:
    """Types a payment letter by letter, and loses the connection at a random letter."""

    visitor: Visitor
    cable: Cable
    moment: random.Random
    purpose: str
    typed: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        amount = f"{self.moment.randrange(100, 900)}.{self.moment.randrange(10, 99)}"
        iban = "DE02 1203 0000 0000 2020 51"
        self.typed = {
            **{"Recipient *": "Reifen Voss KG", "Recipient's IBAN *": iban},
            **{"Amount *": amount, "Purpose": self.purpose},
        }

    def type(self) -> None:
        """Type all of it; after the cut what is typed goes nowhere."""
        page = self.visitor.page
        cut = self.moment.randrange(sum(map(len, self.typed.values())))
        fault: Fault = self.moment.choice(get_args(Fault))
        number = 0
        for label, text in self.typed.items():
            page.get_by_label(label, exact=True).focus()
            for letter in text:
                if number == cut:
                    self.cable.cut(fault)
                page.keyboard.type(letter)
                number += 1

    def finish(self, *, reloads: bool) -> None:
        """Come back, find everything as it was typed, and send it."""
        visitor, page = self.visitor, self.visitor.page
        if reloads:
            page.reload()
        page.wait_for_function("window.socket?.connected && window.did_handshake && popup.ariaHidden !== 'false'")
        for label, text in self.typed.items():
            visitor.sees_value(label, text)
        visitor.send()
        visitor.sees("Handed to the bank, not settled yet.")
        visitor.complaints.clear()  # the browser tells of the lost connection itself


def batches() -> list[int]:
    """Two of them in a share, so ten moments of short and long cuts; all of them by hand."""
    return list(range(BATCHES)) if PARTS == 1 else [2 * (SEED % 5), 2 * (SEED % 5) + 1]


@pytest.mark.long
@pytest.mark.parametrize("batch", batches())
def test_a_cut_at_any_moment_loses_nothing_and_nothing_is_sent_twice(
    console: RunningConsole, browser: Any, batch: int
) -> None:
    seconds = LONG if batch % 2 else SHORT
    with ExitStack() as open_ones:
        typists = []
        for number in range(BATCH):
            moment = random.Random(f"{batch} {number}")
            cable = open_ones.enter_context(Cable(console.base))
            through = RunningConsole(console.state, console.sandbox, cable.base)
            visitor = open_ones.enter_context(Visitor(through, browser, SCREENSHOTS, locale="en-US", width=1280))
            visitor.open(PAYMENT)
            visitor.wait_until_built()
            visitor.choose("From account", "Geschäftskonto")
            typists.append(Typist(visitor, cable, moment, f"Rechnung {batch}-{number}, Winterreifen"))
        for typist in typists:
            typist.type()
        typists[0].visitor.page.wait_for_timeout(seconds * 1000)
        for typist in typists:
            typist.cable.mend()
        for number, typist in enumerate(typists):
            typist.finish(reloads=number % 2 == 1)
    sent = [call for call in requests_to(console) if call["method"] == "POST"]
    for typist in typists:
        assert len([call for call in sent if typist.purpose in str(call)]) == 1, typist.purpose


def test_a_reload_keeps_what_was_typed_and_chosen_until_it_is_discarded(visitor: Visitor) -> None:
    visitor.open(PAYMENT)
    visitor.wait_until_built()
    visitor.choose("From account", "Geschäftskonto")
    visitor.page.get_by_label("Recipient *", exact=True).fill("Reifen Voss KG")
    visitor.page.wait_for_function("() => Object.values(localStorage).some((one) => one.includes('account_id'))")
    visitor.page.reload()
    visitor.sees("What you typed before and did not send stands here again.")
    visitor.sees_value("Recipient *", "Reifen Voss KG")
    visitor.sees("Geschäftskonto")
    visitor.page.get_by_role("link", name="Empty the form").click()
    visitor.page.wait_for_function(f"() => !({STORED})().includes('Reifen')")
    visitor.wait_until_built()
    visitor.sees_value("Recipient *", "")
    visitor.open(PAYMENT)
    visitor.wait_until_built()
    visitor.sees_value("Recipient *", "")
    assert "Reifen" not in visitor.page.evaluate(STORED)


def test_what_was_sent_is_kept_no_longer(visitor: Visitor) -> None:
    visitor.open(PAYMENT)
    visitor.wait_until_built()
    visitor.choose("From account", "Geschäftskonto")
    for label, text in {"Recipient *": "Reifen Voss KG", "Amount *": "12,34", "Purpose": "Gesendet"}.items():
        visitor.page.get_by_label(label, exact=True).fill(text)
    visitor.page.get_by_label("Recipient's IBAN *", exact=True).fill("DE02120300000000202051")
    visitor.send()
    visitor.sees("Handed to the bank, not settled yet.")
    visitor.page.wait_for_function(f"() => ({STORED})() === ''")
    visitor.open(PAYMENT)
    visitor.wait_until_built()
    visitor.sees_value("Purpose", "")


def test_another_person_on_the_same_browser_never_sees_it(console: RunningConsole, browser: Any) -> None:
    ada, jan = (token(console, f"{name} drafts", "payer", name) for name in ("Ada", "Jan"))
    with Visitor(console, browser, SCREENSHOTS, locale="en-US", width=1280, token=ada) as visitor:
        page = visitor.page

        def type_name(name: str) -> None:
            visitor.open(PAYMENT)
            visitor.wait_until_built()
            page.get_by_label("Recipient *", exact=True).fill(name)
            page.wait_for_function(f"(name) => ({STORED})().includes(name)", arg=name)

        type_name("Reifen Voss KG")
        visitor.sign_in(jan)  # without a press on Leave: her session has ended
        visitor.open("")
        assert page.evaluate(STORED) == ""
        visitor.open(PAYMENT)
        visitor.wait_until_built()
        visitor.sees_value("Recipient *", "")
        type_name("Autohaus Nord")
        page.get_by_role("link", name="Leave").first.click()
        page.locator("form").first.wait_for()  # that of people
        assert page.evaluate(STORED) == ""
        visitor.sign_in(jan)
        visitor.open(PAYMENT)
        visitor.wait_until_built()
        visitor.sees_value("Recipient *", "")
        visitor.complaints.clear()  # the page that asks for a token answers 401


def test_two_tabs_have_a_form_each_and_a_new_one_takes_over_what_a_closed_one_left(visitor: Visitor) -> None:
    first = visitor.open(PAYMENT)
    visitor.wait_until_built()
    first.get_by_label("Recipient *", exact=True).fill("Reifen Voss KG")
    second = visitor.open(PAYMENT, visitor.context.new_page())
    second.wait_for_function("window.did_handshake")
    second.wait_for_timeout(1500)
    expect(second.get_by_label("Recipient *", exact=True)).to_have_value("")
    second.close()
    first.close(run_before_unload=True)
    third = visitor.open(PAYMENT, visitor.context.new_page())
    visitor.page = third
    visitor.sees_value("Recipient *", "Reifen Voss KG")


def test_no_secret_is_kept(tmp_path: Path, browser: Any) -> None:
    with (
        running_console(tmp_path, own_credential=False) as console,
        Visitor(console, browser, SCREENSHOTS, locale="en-US", width=1280) as visitor,
    ):
        visitor.open("settings/key")
        visitor.wait_until_built()
        fields = visitor.page.locator("main input").all()
        assert any(field.get_attribute("type") == "password" for field in fields)
        for field in fields:
            if field.is_editable() and field.get_attribute("type") in {"password", "text", "url"}:
                field.press_sequentially("a-secret")
        visitor.page.wait_for_timeout(1000)
        assert "secret" not in visitor.page.evaluate("() => JSON.stringify([localStorage, sessionStorage])")


def test_policy_and_budget_come_back_after_a_restart_of_the_host_in_a_new_tab(tmp_path: Path, browser: Any) -> None:
    with running_console(tmp_path) as first:
        visitor = Visitor(first, browser, SCREENSHOTS, locale="en-US", width=1280)
        visitor.__enter__()
        visitor.open("settings/policy")
        visitor.wait_until_built()
        visitor.page.get_by_label("Approval above", exact=True).fill("750")
        visitor.page.get_by_role("switch", name="Write only under a key").click()
        visitor.sees("Approval above: no limit → EUR 750.00")
        visitor.page.wait_for_timeout(700)
        port = urlsplit(first.base).port or 0
    visitor.page.close(run_before_unload=True)
    visitor.page = visitor.context.new_page()
    with running_console(tmp_path, port=port) as second:
        visitor.console = second
        visitor.sign_in(second.state.issue_login_token())
        visitor.open("settings/policy")
        visitor.sees("Approval above: no limit → EUR 750.00")
        visitor.sees("Write only under a key: no → yes")
        visitor.open("settings/budget")
        visitor.wait_until_built()
        visitor.page.get_by_label("Credits per day", exact=True).fill("40")
        visitor.page.reload()
        visitor.sees_value("Credits per day", "40")
        visitor.context.close()


def test_what_was_typed_since_goes_over_what_the_host_has_taken() -> None:
    draft = {"a": "1", "lines": [{"b": "2"}, {"b": "3"}], "c": {"d": None}}
    typed = {"a": "10", "lines[1].b": "30", "c.d": "x", "lines[7].b": "gone", "e.f": "gone", "n": ""}
    assert with_typed(draft, typed) == {"a": "10", "lines": [{"b": "2"}, {"b": "30"}], "c": {"d": "x"}, "n": ""}
    assert draft["a"] == "1"
