"""No route answers a stranger: every route without and with a wrong token, found in the application itself."""

from __future__ import annotations

import httpx
import pytest
from starlette.routing import Route

from connector.interfaces.host.app import build
from tests.interfaces.host.running_host import TOKEN, RunningHost

SIGNS = {("GET", "/healthz"), ("GET", "/readyz")}
HOOK = ("POST", "/hooks/{token}")
WRONG = {
    "no token": {},
    "a wrong one": {"authorization": "Bearer something-else-entirely"},
    "the beginning of it": {"authorization": f"Bearer {TOKEN[:-1]}"},
    "none after Bearer": {"authorization": "Bearer"},
    "another scheme": {"authorization": f"Basic {TOKEN}"},
    "in the service's header": {"x-api-key": TOKEN},
    "not text": {"authorization": "Bearer \u00e4\u00f6".encode()},
}


def routes(host: RunningHost) -> list[tuple[str, str]]:
    app = build(host.state)._app
    found = [(method, one.path) for one in app.routes if isinstance(one, Route) for method in sorted(one.methods or ())]
    assert len(found) > 30
    return found


def address(path: str) -> str:
    return path.replace("{id}", "list_payments").replace("{delivery}", "1").replace("{token}", "guessed")


@pytest.mark.parametrize("headers", WRONG.values(), ids=WRONG.keys())
def test_no_route_answers_a_stranger(host: RunningHost, headers: dict[str, str]) -> None:
    with httpx.Client(base_url=host.url, trust_env=False) as stranger:
        for method, path in routes(host):
            answer = stranger.request(method, address(path), headers=headers)
            if (method.replace("HEAD", "GET"), path) in SIGNS:
                assert answer.status_code == 200, path
            elif (method, path) == HOOK:
                assert answer.status_code == 404, path
            else:
                assert answer.status_code == 401, (method, path)
                assert answer.headers["www-authenticate"].startswith("Bearer")
        for method, path in (("GET", "/nowhere"), ("GET", "/hooks/guessed"), ("PUT", "/healthz"), ("GET", "/console")):
            assert stranger.request(method, path, headers=headers).status_code == 401, path


def test_the_signs_of_life_tell_a_stranger_nothing_but_states(host: RunningHost) -> None:
    with httpx.Client(base_url=host.url, trust_env=False) as stranger:
        assert set(stranger.get("/healthz").json()) == {"ok", "version"}
        states = {"ok", "database", "engine", "hub", "closing", "stalled", "reason"}
        assert set(stranger.get("/readyz").json()) == states


def test_the_token_is_taken_whatever_the_case_of_its_scheme(host: RunningHost) -> None:
    with httpx.Client(base_url=host.url, trust_env=False) as caller:
        assert caller.get("/v1/connector", headers={"authorization": f"bearer {TOKEN}"}).status_code == 200


def test_a_pass_opens_once(host: RunningHost) -> None:
    one, other = host.state.issue_login_token(), host.state.issue_login_token()
    assert [host.state.redeem_login_token(given) for given in (one, one, "guessed", other)] == [
        True,
        False,
        False,
        True,
    ]
