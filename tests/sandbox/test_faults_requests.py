from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.sandbox.traffic.faults import FaultMatch, Faults, FaultSpec
from tests.support.running_sandbox import RunningSandbox

PATH = "/v2/banking/payments"
BODY = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Kettenwerk Teile GmbH",
    "creditor_iban": "DE89370400440532013000",
    "amount": 10.5,
}


def _pay(sandbox: RunningSandbox, timeout: float = 10) -> httpx.Response:
    return sandbox.api.post(PATH, json=BODY, timeout=timeout)


def _paid(sandbox: RunningSandbox) -> int:
    return len(sandbox.world.banking.payments) - 13


def _entry(sandbox: RunningSandbox) -> dict[str, Any]:
    return sandbox.requests()[-1]


def test_drop_before_cuts_the_line_and_does_nothing(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="drop_before")
    with pytest.raises(httpx.TransportError):
        _pay(sandbox)
    assert (_paid(sandbox), sandbox.available()) == (0, 1000)
    assert (_entry(sandbox)["status"], _entry(sandbox)["acted"], _entry(sandbox)["fault"]) == (
        "dropped",
        False,
        "drop_before",
    )
    assert _pay(sandbox).status_code == 201


def test_drop_after_pays_and_cuts_the_line(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="drop_after")
    with pytest.raises(httpx.TransportError):
        _pay(sandbox)
    assert (_paid(sandbox), sandbox.available()) == (1, 997)
    assert (_entry(sandbox)["status"], _entry(sandbox)["acted"]) == ("dropped", True)


def test_error_500_does_nothing(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="error_500")
    answer = _pay(sandbox)
    assert (answer.status_code, list(answer.json())) == (500, ["error"])
    assert (_paid(sandbox), sandbox.available(), _entry(sandbox)["acted"]) == (0, 1000, False)


def test_error_500_after_has_paid_all_the_same(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="error_500_after")
    assert _pay(sandbox).status_code == 500
    assert (_paid(sandbox), sandbox.available(), _entry(sandbox)["acted"]) == (1, 997, True)


def test_error_500_after_on_a_read_is_not_charged(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="error_500_after")
    assert sandbox.api.get(f"/v2/banking/transactions?account_id={MAIN_ACCOUNT}").status_code == 500
    assert (sandbox.balance(), sandbox.available(), _entry(sandbox)["credits_charged"]) == (1000, 1000, 0)


@pytest.mark.parametrize("kind", ["slow", "slow_after"])
def test_a_slow_answer_runs_into_the_callers_timeout_and_acts(sandbox: RunningSandbox, kind: str) -> None:
    sandbox.order("/faults", kind=kind, seconds=0.3)
    with pytest.raises(httpx.ReadTimeout):
        _pay(sandbox, timeout=0.1)
    sandbox.order("/faults", kind=kind, seconds=0.3)
    assert _pay(sandbox).status_code == 201  # answered after the first one was worked off
    assert _paid(sandbox) == 2
    assert all(entry["acted"] for entry in sandbox.requests())


def test_a_malformed_answer_is_200_with_broken_json(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="malformed")
    answer = _pay(sandbox)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    with pytest.raises(json.JSONDecodeError):
        answer.json()
    assert (_paid(sandbox), _entry(sandbox)["acted"]) == (1, True)


def test_a_wrong_content_type_is_a_page_in_place_of_the_answer(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="wrong_content_type")
    answer = _pay(sandbox)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert (_paid(sandbox), _entry(sandbox)["acted"]) == (1, True)


def test_rate_limited_refuses_without_acting(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="rate_limited")
    answer = _pay(sandbox)
    assert answer.status_code == 429
    assert answer.headers["RateLimit-Remaining"] == "0"
    assert int(answer.headers["Retry-After"]) > 0
    assert (_paid(sandbox), _entry(sandbox)["acted"]) == (0, False)


def test_a_truncated_answer_breaks_off_before_its_announced_length(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="truncated")
    with pytest.raises(httpx.RemoteProtocolError, match="without sending complete"):
        _pay(sandbox)
    assert (_paid(sandbox), _entry(sandbox)["acted"], _entry(sandbox)["status"]) == (1, True, 201)


def test_a_refused_request_never_acts_whatever_the_fault(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="drop_after")
    with pytest.raises(httpx.TransportError):
        sandbox.api.post(PATH, json={**BODY, "amount": -1})
    assert (_paid(sandbox), _entry(sandbox)["acted"]) == (0, False)


def test_a_fault_strikes_as_often_as_ordered(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="error_500", times=2)
    assert [_pay(sandbox).status_code for _ in range(3)] == [500, 500, 201]
    assert sandbox.look("/faults")["data"][0]["struck"] == 2


def test_a_fault_without_an_end_lasts_until_it_is_cleared(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="error_500", times=None)
    assert [_pay(sandbox).status_code for _ in range(3)] == [500, 500, 500]
    sandbox.heal()
    assert _pay(sandbox).status_code == 201


def test_one_fault_is_cleared_and_the_others_stay(sandbox: RunningSandbox) -> None:
    first = sandbox.order("/faults", kind="error_500", times=None)["data"]["id"]
    sandbox.order("/faults", kind="rate_limited", times=None)
    assert sandbox.control("DELETE", f"/faults/{first}").status_code == 200
    assert _pay(sandbox).status_code == 429
    assert sandbox.control("DELETE", f"/faults/{first}").status_code == 404


def test_a_fault_strikes_only_what_it_matches(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="error_500", match={"method": "POST", "path": "/v2/banking/pay"})
    assert sandbox.api.get(PATH).status_code == 200
    assert sandbox.api.post("/v2/banking/connect").status_code == 201
    assert _pay(sandbox).status_code == 500


def test_faults_strike_one_after_the_other(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="error_500")
    sandbox.order("/faults", kind="rate_limited")
    assert [_pay(sandbox).status_code for _ in range(3)] == [500, 429, 201]


def test_an_unknown_kind_of_fault_is_refused(sandbox: RunningSandbox) -> None:
    assert sandbox.try_order("/faults", {"kind": "earthquake"}).status_code == 400
    assert sandbox.try_order("/faults", {"kind": "slow", "secs": 1}).status_code == 400


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
