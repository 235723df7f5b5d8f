from __future__ import annotations

import time
from typing import Any

import httpx
import pytest

from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.support.running_sandbox import RunningSandbox

PATH = "/v2/banking/payments"
BODY = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Kettenwerk Teile GmbH",
    "creditor_iban": "DE89370400440532013000",
    "amount": 10.5,
}


def _executions(sandbox: RunningSandbox) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = sandbox.look("/executions")["data"]
    return data


def _wait_for_executions(sandbox: RunningSandbox, count: int) -> list[dict[str, Any]]:
    ends = time.monotonic() + 5
    while len(_executions(sandbox)) < count and time.monotonic() < ends:
        time.sleep(0.02)
    return _executions(sandbox)


def test_a_late_actor_cuts_the_line_at_once_and_pays_later(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="act_late", seconds=0.4)
    with pytest.raises(httpx.TransportError):
        sandbox.api.post(PATH, json=BODY)
    assert _executions(sandbox) == []
    (execution,) = _wait_for_executions(sandbox, 1)
    assert (execution["request"]["status"], execution["request"]["acted"]) == ("dropped", True)
    assert execution["executed_at"] > execution["request"]["at"]
    assert sandbox.available() == 997


def test_a_late_actor_refuses_in_silence(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="act_late", seconds=0.05)
    with pytest.raises(httpx.TransportError):
        sandbox.api.post(PATH, json={**BODY, "amount": -1})
    time.sleep(0.2)
    assert (_executions(sandbox), sandbox.available()) == ([], 1000)


def test_a_reset_forgets_what_would_have_been_done_later(sandbox: RunningSandbox) -> None:
    sandbox.order("/faults", kind="act_late", seconds=0.2)
    with pytest.raises(httpx.TransportError):
        sandbox.api.post(PATH, json=BODY)
    sandbox.order("/reset")
    time.sleep(0.4)
    assert _executions(sandbox) == []
    assert len(sandbox.world.banking.payments) == 13
