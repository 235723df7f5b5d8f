from __future__ import annotations

from datetime import UTC, datetime

import httpx
import pytest
from service_desk import Desk

PATH = "/v2/banking/webhook-url"


def _limit(answer: httpx.Response) -> tuple[int, int, int]:
    return tuple(int(answer.headers[f"RateLimit-{name}"]) for name in ("Limit", "Remaining", "Reset"))  # type: ignore[return-value]


@pytest.fixture(autouse=True)
def _stopped_clock(desk: Desk) -> None:
    desk.order("/clock", speed=0)


@pytest.mark.conforms("rate.api")
def test_the_limit_is_200_requests_in_15_minutes(desk: Desk) -> None:
    assert _limit(desk.api.get(PATH)) == (200, 199, 900)


@pytest.mark.conforms("rate.headers")
def test_every_answer_carries_the_three_headers_whatever_it_is(desk: Desk) -> None:
    answers = [
        desk.api.get(PATH),
        desk.api.get("/v2/nowhere"),
        desk.api.delete(PATH),
        desk.api.get("/v2/banking/transactions"),
        desk.with_key(None).get(PATH),
        desk.with_key("sandbox-poor-key").get("/v2/banking/transactions", params={"account_id": "1"}),
    ]
    assert [answer.status_code for answer in answers] == [200, 404, 405, 400, 401, 402]
    for answer in answers:
        assert _limit(answer)[0] == 200


@pytest.mark.conforms("errors.too_many", "rate.headers")
def test_over_the_limit_comes_429_with_an_error_and_when_to_come_back(desk: Desk) -> None:
    desk.order("/limits", limit=2)
    desk.api.get(PATH)
    desk.order("/clock", advance=100)
    desk.api.get(PATH)
    answer = desk.api.get(PATH)
    assert answer.status_code == 429
    assert answer.json()["error"]
    assert _limit(answer) == (2, 0, 800)
    assert answer.headers["Retry-After"] == "800"


def test_a_request_over_the_limit_is_recorded_but_never_acts(desk: Desk) -> None:
    desk.order("/limits", limit=1)
    desk.api.get(PATH)
    refused = desk.api.put(PATH, json={"webhook_url": "https://example.com/hook"})
    assert refused.status_code == 429
    assert desk.world.banking.webhook_urls == {}
    entry = desk.record()[-1]
    assert (entry["method"], entry["status"], entry["acted"]) == ("PUT", 429, False)


def test_a_fixed_window_opens_again_all_at_once(desk: Desk) -> None:
    desk.order("/limits", limit=2, window=60)
    desk.api.get(PATH)
    desk.order("/clock", advance=59)
    desk.api.get(PATH)
    assert desk.api.get(PATH).status_code == 429
    desk.order("/clock", advance=1)
    assert _limit(desk.api.get(PATH)) == (2, 1, 60)


def test_a_sliding_window_lets_go_of_one_request_at_a_time(desk: Desk) -> None:
    desk.order("/limits", limit=2, window=60, style="sliding")
    desk.api.get(PATH)
    desk.order("/clock", advance=50)
    desk.api.get(PATH)
    assert desk.api.get(PATH).status_code == 429
    desk.order("/clock", advance=10)
    assert _limit(desk.api.get(PATH)) == (2, 0, 50)
    assert desk.api.get(PATH).status_code == 429


@pytest.mark.conforms("authentication.rate_identity")
def test_each_key_has_its_own_window(desk: Desk) -> None:
    desk.order("/limits", limit=1)
    desk.api.get(PATH)
    assert desk.api.get(PATH).status_code == 429
    assert desk.with_key("sandbox-key-2").get(PATH).status_code == 200


@pytest.mark.conforms("authentication.rate_identity")
def test_calls_without_a_known_key_count_for_their_ip(desk: Desk) -> None:
    desk.order("/limits", limit=2)
    assert desk.with_key(None).get(PATH).status_code == 401
    assert desk.with_key("guess-1").get(PATH).status_code == 401
    assert desk.with_key("guess-2").get(PATH).status_code == 429
    assert desk.api.get(PATH).status_code == 200


def test_reset_can_be_a_unix_timestamp(desk: Desk) -> None:
    desk.order("/limits", reset="timestamp")
    now = datetime.fromisoformat(desk.look("/state")["now"]).astimezone(UTC).timestamp()
    assert 899 <= _limit(desk.api.get(PATH))[2] - now <= 901


def test_retry_after_can_be_left_out(desk: Desk) -> None:
    desk.order("/limits", limit=0, retry_after=False)
    answer = desk.api.get(PATH)
    assert answer.status_code == 429
    assert "Retry-After" not in answer.headers


@pytest.mark.conforms("events.inbound", "rate.inbound")
def test_inbound_provider_webhooks_have_their_own_limit_by_ip(desk: Desk) -> None:
    provider = desk.with_key(None)
    first = provider.post("/v2/banking/webhooks/partner", json={"pending_token": "unknown"})
    assert first.status_code == 404
    assert _limit(first) == (60, 59, 60)
    desk.order("/limits", webhook_limit=0)
    assert provider.post("/v2/banking/webhooks/partner", json={}).status_code == 429
    assert desk.api.get(PATH).status_code == 200


def test_the_control_interface_is_not_limited(desk: Desk) -> None:
    desk.order("/limits", limit=0)
    assert desk.look("/state")["requests_received"] == 0


def test_a_caller_cannot_choose_the_ip_it_is_counted_by(desk: Desk) -> None:
    desk.order("/limits", limit=1)
    stranger = desk.with_key(None)
    assert stranger.get(PATH, headers={"X-Forwarded-For": "203.0.113.1"}).status_code == 401
    assert stranger.get(PATH, headers={"X-Forwarded-For": "203.0.113.2"}).status_code == 429
