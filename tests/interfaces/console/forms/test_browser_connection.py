"""A lost connection while somebody types: nothing typed is lost, nothing is sent twice, and it is called what it is."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit

import httpx
import pytest

from tests.interfaces.console.cable import Cable, Fault
from tests.interfaces.console.running_console import RunningConsole, running_console
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor

TYPED = {"Recipient *": "Reifen Voss KG", "Recipient's IBAN *": "DE02 1203 0000 0000 2020 51"}
PURPOSE = "Rechnung 2026-117, Winterreifen fuer die Werkstatt"
SHORT, LONG = 6.0, 45.0
"""Seconds. A long one is longer than the host waits for a sign of the browser."""


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningConsole]:
    with running_console(tmp_path_factory.mktemp("connection")) as console:
        yield console


@pytest.mark.parametrize(("fault", "seconds"), [*((fault, SHORT) for fault in get_args(Fault)), ("pulled", LONG)])
def test_what_is_typed_while_the_connection_is_lost_is_sent_once(
    console: RunningConsole, browser: Any, fault: Fault, seconds: float
) -> None:
    amount = f"{random.Random(fault).randrange(100, 900)}.{int(seconds):02}"  # the same again would be held back
    typed = {**TYPED, "Amount *": amount, "Purpose": f"{PURPOSE}, {fault} {int(seconds)}"}
    moments = random.Random(f"{fault} {seconds}")
    with Cable(console.base) as cable:
        through = RunningConsole(console.state, console.sandbox, cable.base)
        with Visitor(through, browser, SCREENSHOTS, locale="en-US", width=1280) as visitor:
            visitor.open("actions/initiate_payment")
            visitor.wait_until_built()
            visitor.page.evaluate("window.stillTheSame = true")
            visitor.choose("From account", "Geschäftskonto")
            for label in (*TYPED, "Amount *"):
                visitor.page.get_by_label(label, exact=True).fill(typed[label])
            field = visitor.page.get_by_label("Purpose", exact=True)
            cut, mended = sorted(moments.sample(range(5, len(PURPOSE) - 5), 2))
            for number, letter in enumerate(typed["Purpose"]):
                if number == cut:
                    cable.cut(fault)
                field.press_sequentially(letter)
                if number == mended:
                    visitor.page.wait_for_timeout(seconds * 1000)
                    if fault == "pulled":
                        visitor.sees("The connection to the host is lost.")
                        visitor.picture(f"connection-lost-{int(seconds)}")
                    cable.mend()
            visitor.page.wait_for_function("window.socket.connected && popup.ariaHidden !== 'false'")
            for label, text in typed.items():
                visitor.sees_value(label, text)
            visitor.send()
            visitor.sees("Handed to the bank, not settled yet.")
            assert visitor.page.evaluate("window.stillTheSame")
            visitor.complaints.clear()  # the browser tells of the lost connection itself
    sent = [call for call in requests_to(console) if call["method"] == "POST"]
    assert len([call for call in sent if typed["Purpose"] in str(call)]) == 1


def test_what_was_typed_is_written_again_after_a_restart_of_the_host(tmp_path: Path, browser: Any) -> None:
    with running_console(tmp_path) as first:
        visitor = Visitor(first, browser, SCREENSHOTS, locale="en-US", width=1280)
        visitor.__enter__()
        visitor.open("actions/initiate_payment")
        visitor.wait_until_built()
        visitor.page.get_by_label("Recipient *", exact=True).fill("Reifen Voss KG")
        port = urlsplit(first.base).port or 0
    visitor.sees("The connection to the host is lost.")
    visitor.page.get_by_label("Purpose", exact=True).fill(PURPOSE)
    with running_console(tmp_path, port=port) as second:
        visitor.page.locator("form button").first.wait_for()  # back, and asked to sign in
        visitor.console = second
        visitor.sign_in(second.state.issue_login_token())
        visitor.open("actions/initiate_payment")
        visitor.sees_value("Recipient *", "Reifen Voss KG")
        visitor.sees_value("Purpose", PURPOSE)
        visitor.open("actions/initiate_payment")  # once
        visitor.context.close()


def requests_to(console: RunningConsole) -> list[dict[str, Any]]:
    answer = httpx.get(f"{console.sandbox.url}/sandbox/record?limit=100000", trust_env=False)
    return list(answer.json()["data"])
