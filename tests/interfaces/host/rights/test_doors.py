"""Wrong tokens are slowed down, TLS is kept to, and secrets can be replaced without losing a delivery."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from connector.core.limits import MAX_WRONG_TOKENS
from tests.interfaces.host.running_host import RunningHost, running
from tests.support.running_sandbox import RunningSandbox


@pytest.fixture
def lonely(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[RunningHost]:
    with running(sandbox, tmp_path / "state", trial=False, own_credential=None) as host:
        yield host


def test_many_wrong_tokens_make_an_address_wait_and_right_ones_still_work(lonely: RunningHost) -> None:
    made = lonely.http.post("/v1/tokens", json={"name": "n8n", "role": "viewer"}).json()["token"]
    with lonely.caller(made, None) as before:
        assert before.get("/v1/actions").status_code == 200
    unused = lonely.http.post("/v1/tokens", json={"name": "make", "role": "viewer"}).json()["token"]
    with lonely.caller("kontor_" + "x" * 40, None) as stranger:
        answers = [stranger.get("/v1/actions") for _ in range(MAX_WRONG_TOKENS + 5)]
    assert [one.status_code for one in answers] == [401] * MAX_WRONG_TOKENS + [429] * 5
    assert 0 < int(answers[-1].headers["retry-after"]) <= 61
    lonely.state.tokens.forget()
    with lonely.caller(made, None) as known, lonely.caller(unused, None) as other:
        assert known.get("/v1/actions").status_code == 200
        assert other.get("/v1/actions").status_code == 200, "it was never presented before"
    assert lonely.http.get("/v1/actions").status_code == 200


@pytest.mark.parametrize(("url", "expected"), [("https://kontor.example", "max-age=31536000"), ("", None)])
def test_behind_tls_every_answer_says_to_come_back_by_tls_only(
    sandbox: RunningSandbox, tmp_path: Path, url: str, expected: str | None
) -> None:
    from connector.interfaces.host.app import build

    with running(sandbox, tmp_path, trial=False, own_credential=None) as host:
        host.state.public_url = url
        host.server.config.app._tls_headers = build(host.state)._tls_headers  # type: ignore[union-attr]
        for path in ("/healthz", "/v1/actions"):
            assert host.http.get(path).headers.get("strict-transport-security") == expected


def test_the_secret_of_a_subscription_is_shown_once_more_when_it_is_replaced(host: RunningHost) -> None:
    made = host.http.post(
        "/v1/subscriptions", json={"trigger": "new_payment", "target_url": "http://127.0.0.1:9/nobody"}
    ).json()
    path = f"/v1/subscriptions/{made['id']}"
    replaced = host.http.post(f"{path}/secret")
    assert replaced.status_code == 200
    assert replaced.json()["secret"] != made["secret"]
    shown = host.http.get(path)
    assert not {"sealed_secret", "sealed_former_secret"} & set(shown.json()["subscription"])
    host.http.delete(path)
    assert host.http.post(f"{path}/secret").status_code == 409
