"""A lost connection while somebody types: nothing typed is lost, nothing is sent twice, and it is called what it is."""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack
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
ABREAST = 10
"""How many type at the same time while each loses the connection."""


@pytest.fixture(scope="module")
def console(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningConsole]:
    with running_console(tmp_path_factory.mktemp("connection")) as console:
        httpx.post(f"{console.sandbox.url}/sandbox/limits", json={"limit": 10**6}, trust_env=False).raise_for_status()
        yield console


class Typist:
    """Somebody with a cable of their own, who fills in a payment and types its purpose letter by letter."""

    def __init__(self, opened: ExitStack, console: RunningConsole, browser: Any, purpose: str, amount: str) -> None:
        self._console, self._purpose = console, purpose
        self._typed = {**TYPED, "Amount *": amount, "Purpose": purpose}
        self.cable = opened.enter_context(Cable(console.base))
        through = RunningConsole(console.state, console.sandbox, self.cable.base)
        self.visitor = opened.enter_context(Visitor(through, browser, SCREENSHOTS, locale="en-US", width=1280))
        self.visitor.open("actions/initiate_payment")
        self.visitor.wait_until_built()
        self.visitor.page.evaluate("window.stillTheSame = true")
        self.visitor.choose("From account", "Geschäftskonto")
        for label in (*TYPED, "Amount *"):
            self.visitor.page.get_by_label(label, exact=True).fill(self._typed[label])

    def type(self, first: int, last: int | None = None) -> None:
        """Type the letters of the purpose from one to before another."""
        field = self.visitor.page.get_by_label("Purpose", exact=True)
        for letter in self._purpose[first:last]:
            field.press_sequentially(letter)

    def finish(self) -> None:
        """Find everything as it was typed, and send it: it arrives once."""
        visitor = self.visitor
        visitor.page.wait_for_function("window.socket.connected && popup.ariaHidden !== 'false'")
        for label, text in self._typed.items():
            visitor.sees_value(label, text)
        visitor.send()
        visitor.sees("Handed to the bank, not settled yet.")
        visitor.complaints.clear()  # the browser tells of the lost connection itself
        sent = [call for call in requests_to(self._console) if call["method"] == "POST"]
        assert len([call for call in sent if self._purpose in str(call)]) == 1


@pytest.mark.parametrize(("fault", "seconds"), [*((fault, SHORT) for fault in get_args(Fault)), ("pulled", LONG)])
def test_what_is_typed_while_the_connection_is_lost_is_sent_once(
    console: RunningConsole, browser: Any, fault: Fault, seconds: float
) -> None:
    moments = random.Random(f"{fault} {seconds}")
    amount = f"{moments.randrange(100, 900)}.{int(seconds):02}"  # the same again would be held back
    cut, mended = sorted(moments.sample(range(5, len(PURPOSE) - 5), 2))
    with ExitStack() as opened:
        typist = Typist(opened, console, browser, f"{PURPOSE}, {fault} {int(seconds)}", amount)
        typist.type(0, cut)
        typist.cable.cut(fault)
        typist.type(cut, mended)
        typist.visitor.page.wait_for_timeout(seconds * 1000)
        if fault == "pulled":
            typist.visitor.sees("The connection to the host is lost.")
            typist.visitor.picture(f"connection-lost-{int(seconds)}")
        typist.cable.mend()
        typist.type(mended)
        typist.finish()
        assert typist.visitor.page.evaluate("window.stillTheSame")


@pytest.mark.long
@pytest.mark.parametrize(("seconds", "round"), [(10, 1), (60, 2), (10, 3), (60, 4), (10, 5)])
def test_fifty_connections_are_lost_at_random_moments_and_nothing_typed_is(
    console: RunningConsole, browser: Any, seconds: int, round: int
) -> None:
    moments = random.Random(round)
    lost: deque[tuple[float, Typist, int]] = deque()

    def mend_those_over(*, all: bool) -> None:
        """Mend what was lost for long enough; what is typed meanwhile and afterwards stays too."""
        while lost and (all or time.monotonic() >= lost[0][0]):
            over, typist, typed = lost.popleft()
            typist.visitor.page.wait_for_timeout(max(0.0, over - time.monotonic()) * 1000)
            typist.cable.mend()
            typist.type(typed)
            typist.finish()

    with ExitStack() as opened:
        for number in range(ABREAST):
            purpose, amount = f"{PURPOSE}, {round}-{number}-{seconds}", f"{1000 * round + 10 * number}.{seconds}"
            typist = Typist(opened, console, browser, purpose, amount)
            cut, mended = sorted(moments.sample(range(len(PURPOSE)), 2))
            typist.type(0, cut)
            typist.cable.cut(moments.choice(get_args(Fault)))
            typist.type(cut, mended)
            lost.append((time.monotonic() + seconds, typist, mended))
            mend_those_over(all=False)
        mend_those_over(all=True)


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
