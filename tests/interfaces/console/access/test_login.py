"""Who is let in to the console, and what a stranger gets."""

from __future__ import annotations

import asyncio
import re
from html import escape, unescape

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from connector.interfaces.console.console_context import ConsoleContext
from connector.interfaces.console.login.sessions import COOKIE_NAME, IDLE_SECONDS, MAX_AGE_SECONDS, LoginSessions
from connector.interfaces.token_check import HOST
from tests.interfaces.console.running_console import RunningConsole
from tests.support.running_sandbox import HOST_TOKEN


@pytest.mark.parametrize(
    "path", ["/", "/actions", "/actions/call_api", "/triggers", "/sandbox", "/doctor", "/language/de", "/_nicegui/x"]
)
def test_a_stranger_gets_the_login_page_and_nothing_else(console: RunningConsole, path: str) -> None:
    for cookies in ({}, {COOKIE_NAME: "9999999999.0000"}):
        answer = httpx.get(f"{console.url}{path}", trust_env=False, cookies=cookies)
        assert answer.status_code == 401
        assert "Passphrase" in answer.text
        assert "KONTOR_" not in answer.text
        assert "Initiate payment" not in answer.text


def test_a_socket_opens_only_to_those_inside(console: RunningConsole) -> None:
    address = console.url.replace("http", "ws") + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    with pytest.raises(InvalidStatus) as refused:
        connect(address)
    assert refused.value.response.status_code == 403


def sign_in(client: httpx.Client, console: RunningConsole, token: str | None = None) -> httpx.Response:
    return client.post(f"{console.url}/login", data={"token": token or console.state.issue_login_token()})


def test_a_one_time_link_opens_once_and_only_by_its_button(console: RunningConsole) -> None:
    link = console.link()
    for look in (httpx.head, httpx.get, httpx.get):
        shown = look(link, trust_env=False)
        assert shown.status_code == 200
        assert COOKIE_NAME not in shown.cookies
    token = link.partition("token=")[2]
    with httpx.Client(trust_env=False) as client:
        assert sign_in(client, console, token).status_code == 200
        assert client.get(f"{console.url}/").status_code == 200
    with httpx.Client(trust_env=False) as another:
        again = sign_in(another, console, token)
        assert again.status_code == 403
        assert COOKIE_NAME not in again.cookies
    assert httpx.get(link, trust_env=False).status_code == 403


def test_a_one_time_link_lives_ten_minutes(console: RunningConsole) -> None:
    token = console.state.issue_login_token()
    console.state._login_tokens.expire(console.state._login_tokens.timer() + 599)
    assert console.state.is_login_token(token)
    console.state._login_tokens.expire(console.state._login_tokens.timer() + 601)
    assert not console.state.is_login_token(token)


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
    inside = httpx.get(f"{console.url}/", cookies={COOKIE_NAME: right.cookies[COOKIE_NAME]}, trust_env=False)
    assert inside.status_code == 200
    assert inside.headers["x-frame-options"] == "DENY"


def test_signing_out_ends_the_session_on_the_server(console: RunningConsole) -> None:
    with httpx.Client(trust_env=False) as client:
        sign_in(client, console)
        cookie = client.cookies[COOKIE_NAME]
        assert client.get(f"{console.url}/").status_code == 200
        client.get(f"{console.url}/leave")
        assert client.get(f"{console.url}/").status_code == 401
    kept = httpx.get(f"{console.url}/", cookies={COOKIE_NAME: cookie}, trust_env=False)
    assert kept.status_code == 401, "a copied cookie works no more either"


@pytest.mark.parametrize(
    "target",
    [
        *("https://elsewhere.example/", "//elsewhere.example/", "/v1/actions", "/console\\@x", "/console/\\x.example"),
        *("/console/../v1/actions", "/console/%2e%2e/v1/actions", "/console/.%2E/%2Fx.example", "/console//x.example"),
        *("https:/console/runs", "/console?x=1", "\t//elsewhere.example/console/"),
    ],
)
def test_a_switch_never_leads_out_of_the_console(console: RunningConsole, target: str) -> None:
    with httpx.Client(trust_env=False) as client:
        sign_in(client, console)
        answer = client.get(f"{console.url}/language/de", params={"from": target})
        assert answer.headers["location"] == "/console/"


@pytest.mark.parametrize("target", ["/console/runs?text=M%26S+50%25&kind=read", "/console/actions/list_payments"])
def test_the_sign_in_leads_to_the_page_that_was_asked_for(console: RunningConsole, target: str) -> None:
    with httpx.Client(trust_env=False) as client:
        asked = client.get(f"{console.base}{target}")
        (hidden,) = set(re.findall(r'name="from" value="([^"]*)"', asked.text))
        given = {"token": HOST_TOKEN, "from": unescape(hidden)}
        assert f"url={escape(target)}" in client.post(f"{console.url}/login", data=given).text


@pytest.mark.parametrize("target", ["https://elsewhere.example/", "//elsewhere.example/", "/console/../v1/actions"])
def test_the_sign_in_never_leads_elsewhere(console: RunningConsole, target: str) -> None:
    entered = httpx.post(f"{console.url}/login", data={"token": HOST_TOKEN, "from": target}, trust_env=False)
    assert 'url=/console/"' in entered.text
    assert "elsewhere" not in entered.text


def test_a_link_in_a_mail_is_loaded_anew_so_that_the_cookie_comes_along(console: RunningConsole) -> None:
    answer = httpx.get(f"{console.url}/runs", headers={"sec-fetch-site": "cross-site"}, trust_env=False)
    assert (answer.status_code, "url=/console/runs" in answer.text) == (401, True)
    for place in ("leave", "language/de", "login"):
        away = httpx.get(f"{console.url}/{place}", headers={"sec-fetch-site": "cross-site"}, trust_env=False)
        assert "http-equiv" not in away.text


@pytest.mark.parametrize("target", ["/console/runs", "/console/runs?text=M%26S+50%25&kind=read", "/console/"])
def test_a_switch_comes_back_with_the_query(console: RunningConsole, target: str) -> None:
    with httpx.Client(trust_env=False) as client:
        sign_in(client, console)
        for switch in ("language/de", "theme/dark"):
            answer = client.get(f"{console.url}/{switch}", params={"from": target})
            assert answer.headers["location"] == target


def test_a_session_ends_when_idle_and_at_the_end_of_the_day(console: RunningConsole) -> None:
    async def lasts(*moments: float) -> bool:
        clock = [0.0]
        sessions = LoginSessions(lambda: clock[0])
        cookie = sessions.begin(ConsoleContext(console.state, "/console", HOST), None)
        for at in moments:
            clock[0] = at
            if await sessions.find(cookie) is None:
                return False
        return await sessions.find("") is None

    busy = tuple(float(at) for at in range(0, int(MAX_AGE_SECONDS), 3600))
    assert asyncio.run(lasts(IDLE_SECONDS - 1))
    assert not asyncio.run(lasts(IDLE_SECONDS + 1))
    assert asyncio.run(lasts(*busy))
    assert not asyncio.run(lasts(*busy, MAX_AGE_SECONDS + 1))


def test_whoever_tries_many_tokens_has_to_wait_and_a_right_one_passes(console: RunningConsole) -> None:
    with httpx.Client(trust_env=False) as client:
        answers = [sign_in(client, console, f"guess-{number}") for number in range(30)]
        assert [one.status_code for one in answers] == [403] * 10 + [429] * 20
        assert 0 < int(answers[-1].headers["retry-after"]) <= 60
        assert sign_in(client, console, HOST_TOKEN).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{"origin": "https://elsewhere.example"}, {"host": "elsewhere.example"}, {"origin": "null"}],
    ids=["another origin", "another name", "no origin of its own"],
)
def test_a_foreign_page_cannot_sign_in_through_the_browser(console: RunningConsole, headers: dict[str, str]) -> None:
    answer = httpx.post(f"{console.url}/login", data={"token": HOST_TOKEN}, headers=headers, trust_env=False)
    assert answer.status_code == 403
    assert COOKIE_NAME not in answer.cookies


def test_a_foreign_page_cannot_open_the_socket_through_the_browser(console: RunningConsole) -> None:
    with httpx.Client(trust_env=False) as client:
        sign_in(client, console)
        cookie = f"{COOKIE_NAME}={client.cookies[COOKIE_NAME]}"
    address = console.url.replace("http", "ws") + "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    with pytest.raises(InvalidStatus):
        connect(address, additional_headers={"cookie": cookie}, origin="https://elsewhere.example")
    with connect(address, additional_headers={"cookie": cookie}, origin=console.base):
        pass


def test_every_page_says_what_it_may_load(console: RunningConsole) -> None:
    with httpx.Client(trust_env=False) as client:
        assert "default-src 'none'" in client.get(f"{console.url}/").headers["content-security-policy"]
        sign_in(client, console)
        assert "frame-ancestors 'none'" in client.get(f"{console.url}/").headers["content-security-policy"]


def test_a_page_runs_marked_scripts_only_and_each_page_has_its_own_mark(console: RunningConsole) -> None:
    with httpx.Client(trust_env=False) as client:
        login = client.get(f"{console.url}/").headers["content-security-policy"]
        sign_in(client, console)
        pages = [client.get(f"{console.url}/{place}") for place in ("", "actions", "nowhere", "actions/list_payments")]
    assert "unsafe" not in login
    marks = set()
    for page in pages:
        rules = dict(rule.strip().split(" ", 1) for rule in page.headers["content-security-policy"].split(";"))
        assert "'unsafe-inline'" not in rules["script-src"]
        [mark] = re.findall(r"'nonce-([\w-]{20,})'", rules["script-src"])
        scripts = re.findall(r"<script[^>]*>", page.text)
        assert len(scripts) > 5
        assert all(f'nonce="{mark}"' in script for script in scripts)
        marks.add(mark)
    assert len(marks) == len(pages)


def test_behind_tls_the_cookie_and_the_browser_stay_with_tls(console: RunningConsole) -> None:
    with httpx.Client(trust_env=False, headers={"x-forwarded-proto": "https"}) as client:
        answer = sign_in(client, console)
        assert "strict-transport-security" in answer.headers
        assert "secure" in answer.headers["set-cookie"].lower()
    assert "strict-transport-security" not in httpx.get(f"{console.url}/", trust_env=False).headers


def test_where_the_public_address_is_https_the_cookie_is_for_tls_whatever_the_proxy_says(
    console: RunningConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    with httpx.Client(trust_env=False) as client:
        assert "secure" not in sign_in(client, console).headers["set-cookie"].lower()
    monkeypatch.setattr(console.state, "public_url", "https://kontor.example")
    with httpx.Client(trust_env=False) as client:
        answer = sign_in(client, console)
        assert "secure" in answer.headers["set-cookie"].lower()
        assert "strict-transport-security" in answer.headers
