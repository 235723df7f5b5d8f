"""Lost pages: an unknown address has the console's own page, and a restarted host brings the page back by itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.interfaces.console.running_console import running_console
from tests.interfaces.console.visitor import SCREENSHOTS, Visitor


@pytest.mark.parametrize(
    ("locale", "words"), [("en-US", "There is no such page."), ("de-DE", "Diese Seite gibt es nicht.")]
)
def test_an_unknown_address_has_the_consoles_own_page(console: Any, browser: Any, locale: str, words: str) -> None:
    with Visitor(console, browser, SCREENSHOTS, locale=locale, width=390) as visitor:
        answer = visitor.page.goto(f"{console.url}/no/such/page")
        assert answer.status == 404
        visitor.sees(words)
        visitor.picture(f"lost-{locale[:2]}")
        visitor.page.locator("main .link").first.click()
        visitor.page.wait_for_url(f"{console.url}/")
        visitor.complaints.clear()  # the browser tells of the 404 itself


def test_a_known_page_is_not_taken_for_a_lost_one(visitor: Visitor) -> None:
    answer = visitor.page.goto(f"{visitor.console.url}/triggers")
    assert answer.status == 200
    assert visitor.page.goto(f"{visitor.console.url}/actions/no_such_action").status == 404
    visitor.complaints.clear()


@pytest.mark.parametrize("connected", [True, False])
def test_a_page_that_lost_its_host_says_so_and_comes_back_by_itself(
    tmp_path: Path, browser: Any, connected: bool
) -> None:
    with running_console(tmp_path) as first:
        visitor = Visitor(first, browser, SCREENSHOTS, locale="de-DE", width=1280)
        visitor.__enter__()
        if not connected:  # the host is gone before the page has its connection
            visitor.page.route(re.compile("_nicegui_ws"), lambda route: route.abort())
            visitor.page.route_web_socket(re.compile("_nicegui_ws"), lambda socket: socket.close())
        visitor.open("triggers")
        if connected:
            visitor.page.wait_for_function("window.did_handshake")
        port = urlsplit(first.base).port
        assert port is not None
    visitor.page.get_by_text("Die Verbindung zum Host ist verloren.").wait_for()
    visitor.picture("restarting")
    visitor.page.unroute_all()
    with running_console(tmp_path, port=port) as second:
        visitor.page.locator("form button").first.wait_for()  # back, and asked to sign in
        visitor.page.goto(second.link())
        visitor.page.locator("form button").click()
        visitor.page.locator("main h1").wait_for()
        visitor.context.close()
