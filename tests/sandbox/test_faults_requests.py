from __future__ import annotations

import json
from typing import Any

import httpx
import pytest
from service_desk import Desk

from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.sandbox.faults import FaultMatch, Faults, FaultSpec

PATH = "/v2/banking/payments"
BODY = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Kettenwerk Teile GmbH",
    "creditor_iban": "DE89370400440532013000",
    "amount": 10.5,
}


def _pay(desk: Desk, timeout: float = 10) -> httpx.Response:
    return desk.api.post(PATH, json=BODY, timeout=timeout)


def _paid(desk: Desk) -> int:
    return len(desk.world.banking.payments) - 13


def _entry(desk: Desk) -> dict[str, Any]:
    return desk.record()[-1]


def test_drop_before_cuts_the_line_and_does_nothing(desk: Desk) -> None:
    desk.order("/faults", kind="drop_before")
    with pytest.raises(httpx.TransportError):
        _pay(desk)
    assert (_paid(desk), desk.available()) == (0, 1000)
    assert (_entry(desk)["status"], _entry(desk)["acted"], _entry(desk)["fault"]) == ("dropped", False, "drop_before")
    assert _pay(desk).status_code == 201


def test_drop_after_pays_and_cuts_the_line(desk: Desk) -> None:
    desk.order("/faults", kind="drop_after")
    with pytest.raises(httpx.TransportError):
        _pay(desk)
    assert (_paid(desk), desk.available()) == (1, 997)
    assert (_entry(desk)["status"], _entry(desk)["acted"]) == ("dropped", True)


def test_error_500_does_nothing(desk: Desk) -> None:
    desk.order("/faults", kind="error_500")
    answer = _pay(desk)
    assert (answer.status_code, list(answer.json())) == (500, ["error"])
    assert (_paid(desk), desk.available(), _entry(desk)["acted"]) == (0, 1000, False)


def test_error_500_after_has_paid_all_the_same(desk: Desk) -> None:
    desk.order("/faults", kind="error_500_after")
    assert _pay(desk).status_code == 500
    assert (_paid(desk), desk.available(), _entry(desk)["acted"]) == (1, 997, True)


def test_error_500_after_on_a_read_is_not_charged(desk: Desk) -> None:
    desk.order("/faults", kind="error_500_after")
    assert desk.api.get(f"/v2/banking/transactions?account_id={MAIN_ACCOUNT}").status_code == 500
    assert (desk.balance(), desk.available(), _entry(desk)["credits_charged"]) == (1000, 1000, 0)


@pytest.mark.parametrize("kind", ["slow", "slow_after"])
def test_a_slow_answer_runs_into_the_callers_timeout_and_acts(desk: Desk, kind: str) -> None:
    desk.order("/faults", kind=kind, seconds=0.3)
    with pytest.raises(httpx.ReadTimeout):
        _pay(desk, timeout=0.1)
    desk.order("/faults", kind=kind, seconds=0.3)
    assert _pay(desk).status_code == 201  # answered after the first one was worked off
    assert _paid(desk) == 2
    assert all(entry["acted"] for entry in desk.record())


def test_a_malformed_answer_is_200_with_broken_json(desk: Desk) -> None:
    desk.order("/faults", kind="malformed")
    answer = _pay(desk)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    with pytest.raises(json.JSONDecodeError):
        answer.json()
    assert (_paid(desk), _entry(desk)["acted"]) == (1, True)


def test_a_wrong_content_type_is_a_page_in_place_of_the_answer(desk: Desk) -> None:
    desk.order("/faults", kind="wrong_content_type")
    answer = _pay(desk)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert (_paid(desk), _entry(desk)["acted"]) == (1, True)


def test_rate_limited_refuses_without_acting(desk: Desk) -> None:
    desk.order("/faults", kind="rate_limited")
    answer = _pay(desk)
    assert answer.status_code == 429
    assert answer.headers["RateLimit-Remaining"] == "0"
    assert int(answer.headers["Retry-After"]) > 0
    assert (_paid(desk), _entry(desk)["acted"]) == (0, False)


def test_a_truncated_answer_breaks_off_before_its_announced_length(desk: Desk) -> None:
    desk.order("/faults", kind="truncated")
    with pytest.raises(httpx.RemoteProtocolError, match="without sending complete"):
        _pay(desk)
    assert (_paid(desk), _entry(desk)["acted"], _entry(desk)["status"]) == (1, True, 201)


def test_a_refused_request_never_acts_whatever_the_fault(desk: Desk) -> None:
    desk.order("/faults", kind="drop_after")
    with pytest.raises(httpx.TransportError):
        desk.api.post(PATH, json={**BODY, "amount": -1})
    assert (_paid(desk), _entry(desk)["acted"]) == (0, False)


def test_a_fault_strikes_as_often_as_ordered(desk: Desk) -> None:
    desk.order("/faults", kind="error_500", times=2)
    assert [_pay(desk).status_code for _ in range(3)] == [500, 500, 201]
    assert desk.look("/faults")["data"][0]["struck"] == 2


def test_a_fault_without_an_end_lasts_until_it_is_cleared(desk: Desk) -> None:
    desk.order("/faults", kind="error_500", times=None)
    assert [_pay(desk).status_code for _ in range(3)] == [500, 500, 500]
    desk.clear_faults()
    assert _pay(desk).status_code == 201


def test_one_fault_is_cleared_and_the_others_stay(desk: Desk) -> None:
    first = desk.order("/faults", kind="error_500", times=None)["data"]["id"]
    desk.order("/faults", kind="rate_limited", times=None)
    assert desk.control("DELETE", f"/faults/{first}").status_code == 200
    assert _pay(desk).status_code == 429
    assert desk.control("DELETE", f"/faults/{first}").status_code == 404


def test_a_fault_strikes_only_what_it_matches(desk: Desk) -> None:
    desk.order("/faults", kind="error_500", match={"method": "POST", "path": "/v2/banking/pay"})
    assert desk.api.get(PATH).status_code == 200
    assert desk.api.post("/v2/banking/connect").status_code == 201
    assert _pay(desk).status_code == 500


def test_faults_strike_one_after_the_other(desk: Desk) -> None:
    desk.order("/faults", kind="error_500")
    desk.order("/faults", kind="rate_limited")
    assert [_pay(desk).status_code for _ in range(3)] == [500, 429, 201]


def test_an_unknown_kind_of_fault_is_refused(desk: Desk) -> None:
    assert desk.try_order("/faults", {"kind": "earthquake"}).status_code == 400
    assert desk.try_order("/faults", {"kind": "slow", "secs": 1}).status_code == 400


def _pattern(seed: int) -> list[bool]:
    faults = Faults()
    faults.inject(FaultSpec(kind="error_500", times=None, probability=0.5, seed=seed))
    return [faults.match_request("GET", "/v2/") is not None for _ in range(64)]


def test_a_probability_is_decided_by_the_seed() -> None:
    assert _pattern(1) == _pattern(1)
    assert _pattern(1) != _pattern(2)
    assert 10 < sum(_pattern(1)) < 54


def test_a_path_matches_as_prefix_or_as_glob() -> None:
    faults = Faults()
    faults.inject(FaultSpec(kind="error_500", times=None, match=FaultMatch(path="/v2/*/connections")))
    assert faults.match_request("GET", "/v2/ledger-duo/connections")
    assert not faults.match_request("GET", "/v2/banking/connections/1")
