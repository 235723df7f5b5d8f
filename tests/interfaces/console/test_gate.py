"""Who is let in to the console, and what a stranger gets."""

from __future__ import annotations

import time

import httpx
import pytest
from console_stage import HOST_TOKEN, Stage
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from connector.interfaces.console import access


@pytest.mark.parametrize(
    "path", ["/", "/actions", "/actions/call_api", "/triggers", "/sandbox", "/doctor", "/language/de", "/_nicegui/x"]
)
def test_a_stranger_gets_the_login_page_and_nothing_else(stage: Stage, path: str) -> None:
    for cookies in ({}, {access.NAME: "9999999999.0000"}):
        answer = httpx.get(f"{stage.url}{path}", trust_env=False, cookies=cookies)
        assert answer.status_code == 401
        assert "Host token" in answer.text
        assert "Initiate payment" not in answer.text


def test_a_socket_opens_only_to_those_inside(stage: Stage) -> None:
    address = stage.url.replace("http", "ws") + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    with pytest.raises(InvalidStatus) as refused:
        connect(address)
    assert refused.value.response.status_code == 403


def test_a_one_time_link_opens_once(stage: Stage) -> None:
    link = stage.link()
    first = httpx.get(link, trust_env=False)
    assert first.status_code == 200
    again = httpx.get(link, trust_env=False)
    assert again.status_code == 403
    assert access.NAME not in again.cookies


def test_the_host_token_opens_by_the_form_and_never_by_the_address(stage: Stage) -> None:
    wrong = httpx.post(f"{stage.url}/login", data={"token": "guess"}, trust_env=False)
    assert wrong.status_code == 403
    in_address = httpx.get(f"{stage.url}/?token={HOST_TOKEN}", trust_env=False)
    assert in_address.status_code == 403
    right = httpx.post(f"{stage.url}/login", data={"token": HOST_TOKEN}, trust_env=False)
    assert right.status_code == 200
    cookie = right.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/console" in cookie
    assert HOST_TOKEN not in cookie
    inside = httpx.get(f"{stage.url}/", cookies={access.NAME: right.cookies[access.NAME]}, trust_env=False)
    assert inside.status_code == 200
    assert inside.headers["x-frame-options"] == "DENY"


def test_leaving_takes_the_cookie_away(stage: Stage) -> None:
    with httpx.Client(trust_env=False) as client:
        client.get(stage.link())
        assert client.get(f"{stage.url}/").status_code == 200
        client.get(f"{stage.url}/leave")
        assert client.get(f"{stage.url}/").status_code == 401


@pytest.mark.parametrize(
    "target", ["https://elsewhere.example/", "//elsewhere.example/", "/v1/actions", "/console\\@x"]
)
def test_a_switch_never_leads_out_of_the_console(stage: Stage, target: str) -> None:
    with httpx.Client(trust_env=False) as client:
        client.get(stage.link())
        answer = client.get(f"{stage.url}/language/de", params={"from": target})
        assert answer.headers["location"] == "/console/"


def test_a_cookie_runs_out_and_dies_with_the_token() -> None:
    now = time.time()
    cookie = access.issue("token", now)
    assert access.is_good("token", cookie, now + access.SECONDS - 2)
    assert not access.is_good("token", cookie, now + access.SECONDS + 2)
    assert not access.is_good("another", cookie, now)
    until, _, signature = cookie.partition(".")
    assert not access.is_good("token", f"{int(until) + 1}.{signature}", now)
    assert not access.is_good("token", "", now)
