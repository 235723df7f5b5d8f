"""Who is let in to the console, and what a stranger gets."""

from __future__ import annotations

import time

import httpx
import pytest
from running_console import HOST_TOKEN, RunningConsole
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from connector.interfaces.console import login_cookie


@pytest.mark.parametrize(
    "path", ["/", "/actions", "/actions/call_api", "/triggers", "/sandbox", "/doctor", "/language/de", "/_nicegui/x"]
)
def test_a_stranger_gets_the_login_page_and_nothing_else(console: RunningConsole, path: str) -> None:
    for cookies in ({}, {login_cookie.COOKIE_NAME: "9999999999.0000"}):
        answer = httpx.get(f"{console.url}{path}", trust_env=False, cookies=cookies)
        assert answer.status_code == 401
        assert "Host token" in answer.text
        assert "Initiate payment" not in answer.text


def test_a_socket_opens_only_to_those_inside(console: RunningConsole) -> None:
    address = console.url.replace("http", "ws") + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    with pytest.raises(InvalidStatus) as refused:
        connect(address)
    assert refused.value.response.status_code == 403


def test_a_one_time_link_opens_once(console: RunningConsole) -> None:
    link = console.link()
    first = httpx.get(link, trust_env=False)
    assert first.status_code == 200
    again = httpx.get(link, trust_env=False)
    assert again.status_code == 403
    assert login_cookie.COOKIE_NAME not in again.cookies


def test_the_host_token_opens_by_the_form_and_never_by_the_address(console: RunningConsole) -> None:
    wrong = httpx.post(f"{console.url}/login", data={"token": "guess"}, trust_env=False)
    assert wrong.status_code == 403
    in_address = httpx.get(f"{console.url}/?token={HOST_TOKEN}", trust_env=False)
    assert in_address.status_code == 403
    right = httpx.post(f"{console.url}/login", data={"token": HOST_TOKEN}, trust_env=False)
    assert right.status_code == 200
    cookie = right.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/console" in cookie
    assert HOST_TOKEN not in cookie
    inside = httpx.get(
        f"{console.url}/", cookies={login_cookie.COOKIE_NAME: right.cookies[login_cookie.COOKIE_NAME]}, trust_env=False
    )
    assert inside.status_code == 200
    assert inside.headers["x-frame-options"] == "DENY"


def test_leaving_takes_the_cookie_away(console: RunningConsole) -> None:
    with httpx.Client(trust_env=False) as client:
        client.get(console.link())
        assert client.get(f"{console.url}/").status_code == 200
        client.get(f"{console.url}/leave")
        assert client.get(f"{console.url}/").status_code == 401


@pytest.mark.parametrize(
    "target", ["https://elsewhere.example/", "//elsewhere.example/", "/v1/actions", "/console\\@x"]
)
def test_a_switch_never_leads_out_of_the_console(console: RunningConsole, target: str) -> None:
    with httpx.Client(trust_env=False) as client:
        client.get(console.link())
        answer = client.get(f"{console.url}/language/de", params={"from": target})
        assert answer.headers["location"] == "/console/"


def test_a_cookie_runs_out_and_dies_with_the_token() -> None:
    now = time.time()
    cookie = login_cookie.issue("token", now)
    assert login_cookie.is_valid("token", cookie, now + login_cookie.MAX_AGE_SECONDS - 2)
    assert not login_cookie.is_valid("token", cookie, now + login_cookie.MAX_AGE_SECONDS + 2)
    assert not login_cookie.is_valid("another", cookie, now)
    until, _, signature = cookie.partition(".")
    assert not login_cookie.is_valid("token", f"{int(until) + 1}.{signature}", now)
    assert not login_cookie.is_valid("token", "", now)
