from __future__ import annotations

from datetime import UTC, datetime

import httpx
import pytest

from tests.support.running_sandbox import RunningSandbox

PATH = "/v2/banking/webhook-url"


def _limit(answer: httpx.Response) -> tuple[int, int, int]:
    return tuple(int(answer.headers[f"RateLimit-{name}"]) for name in ("Limit", "Remaining", "Reset"))  # type: ignore[return-value]


@pytest.fixture(autouse=True)
def _stopped_clock(sandbox: RunningSandbox) -> None:
    sandbox.order("/clock", speed=0)


@pytest.mark.conforms("rate.api")
def test_the_limit_is_200_requests_in_15_minutes(sandbox: RunningSandbox) -> None:
    assert _limit(sandbox.api.get(PATH)) == (200, 199, 900)


@pytest.mark.conforms("rate.headers")
def test_every_answer_carries_the_three_headers_whatever_it_is(sandbox: RunningSandbox) -> None:
    answers = [
        sandbox.api.get(PATH),
        sandbox.api.get("/v2/nowhere"),
        sandbox.api.delete(PATH),
        sandbox.api.get("/v2/banking/transactions"),
        sandbox.with_key(None).get(PATH),
        sandbox.with_key("sandbox-poor-key").get("/v2/banking/transactions", params={"account_id": "1"}),
    ]
    assert [answer.status_code for answer in answers] == [200, 404, 405, 400, 401, 402]
    for answer in answers:
        assert _limit(answer)[0] == 200


@pytest.mark.conforms("errors.too_many", "rate.headers")
def test_over_the_limit_comes_429_with_an_error_and_when_to_come_back(sandbox: RunningSandbox) -> None:
    sandbox.order("/limits", limit=2)
    sandbox.api.get(PATH)
    sandbox.order("/clock", advance=100)
    sandbox.api.get(PATH)
    answer = sandbox.api.get(PATH)
    assert answer.status_code == 429
    assert answer.json()["error"]
    assert _limit(answer) == (2, 0, 800)
    assert answer.headers["Retry-After"] == "800"


def test_a_request_over_the_limit_is_recorded_but_never_acts(sandbox: RunningSandbox) -> None:
    sandbox.order("/limits", limit=1)
    sandbox.api.get(PATH)
    refused = sandbox.api.put(PATH, json={"webhook_url": "https://example.com/hook"})
    assert refused.status_code == 429
    assert sandbox.world.banking.webhook_urls == {}
    entry = sandbox.requests()[-1]
    assert (entry["method"], entry["status"], entry["acted"]) == ("PUT", 429, False)


def test_a_fixed_window_opens_again_all_at_once(sandbox: RunningSandbox) -> None:
    sandbox.order("/limits", limit=2, window=60)
    sandbox.api.get(PATH)
    sandbox.order("/clock", advance=59)
    sandbox.api.get(PATH)
    assert sandbox.api.get(PATH).status_code == 429
    sandbox.order("/clock", advance=1)
    assert _limit(sandbox.api.get(PATH)) == (2, 1, 60)


def test_a_sliding_window_lets_go_of_one_request_at_a_time(sandbox: RunningSandbox) -> None:
    sandbox.order("/limits", limit=2, window=60, style="sliding")
    sandbox.api.get(PATH)
    sandbox.order("/clock", advance=50)
    sandbox.api.get(PATH)
    assert sandbox.api.get(PATH).status_code == 429
    sandbox.order("/clock", advance=10)
    assert _limit(sandbox.api.get(PATH)) == (2, 0, 50)
    assert sandbox.api.get(PATH).status_code == 429


@pytest.mark.conforms("authentication.rate_identity")
def test_each_key_has_its_own_window(sandbox: RunningSandbox) -> None:
    sandbox.order("/limits", limit=1)
    sandbox.api.get(PATH)
    assert sandbox.api.get(PATH).status_code == 429
    assert sandbox.with_key("sandbox-key-2").get(PATH).status_code == 200


@pytest.mark.conforms("authentication.rate_identity")
def test_calls_without_a_known_key_count_for_their_ip(sandbox: RunningSandbox) -> None:
    sandbox.order("/limits", limit=2)
    assert sandbox.with_key(None).get(PATH).status_code == 401
    assert sandbox.with_key("guess-1").get(PATH).status_code == 401
    assert sandbox.with_key("guess-2").get(PATH).status_code == 429
    assert sandbox.api.get(PATH).status_code == 200


def test_reset_can_be_a_unix_timestamp(sandbox: RunningSandbox) -> None:
    sandbox.order("/limits", reset="timestamp")
    now = datetime.fromisoformat(sandbox.look("/state")["now"]).astimezone(UTC).timestamp()
    assert 899 <= _limit(sandbox.api.get(PATH))[2] - now <= 901


def test_retry_after_can_be_left_out(sandbox: RunningSandbox) -> None:
    sandbox.order("/limits", limit=0, retry_after=False)
    answer = sandbox.api.get(PATH)
    assert answer.status_code == 429
    assert "Retry-After" not in answer.headers


@pytest.mark.conforms("events.inbound", "rate.inbound")
def test_inbound_provider_webhooks_have_their_own_limit_by_ip(sandbox: RunningSandbox) -> None:
    provider = sandbox.with_key(None)
    first = provider.post("/v2/banking/webhooks/partner", json={"pending_token": "unknown"})
    assert first.status_code == 404
    assert _limit(first) == (60, 59, 60)
    sandbox.order("/limits", webhook_limit=0)
    assert provider.post("/v2/banking/webhooks/partner", json={}).status_code == 429
    assert sandbox.api.get(PATH).status_code == 200


def test_the_control_interface_is_not_limited(sandbox: RunningSandbox) -> None:
    sandbox.order("/limits", limit=0)
    assert sandbox.look("/state")["requests_received"] == 0


def test_a_caller_cannot_choose_the_ip_it_is_counted_by(sandbox: RunningSandbox) -> None:
    sandbox.order("/limits", limit=1)
    stranger = sandbox.with_key(None)
    assert stranger.get(PATH, headers={"X-Forwarded-For": "203.0.113.1"}).status_code == 401
    assert stranger.get(PATH, headers={"X-Forwarded-For": "203.0.113.2"}).status_code == 429
