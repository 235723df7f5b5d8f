from __future__ import annotations

import time
from typing import Any

import httpx
import pytest
from service_desk import Desk

from connector.sandbox.banking.demo import MAIN_ACCOUNT

PATH = "/v2/banking/payments"
BODY = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Kettenwerk Teile GmbH",
    "creditor_iban": "DE89370400440532013000",
    "amount": 10.5,
}


def _executions(desk: Desk) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = desk.look("/executions")["data"]
    return data


def _wait_for_executions(desk: Desk, count: int) -> list[dict[str, Any]]:
    ends = time.monotonic() + 5
    while len(_executions(desk)) < count and time.monotonic() < ends:
        time.sleep(0.02)
    return _executions(desk)


def test_a_late_actor_cuts_the_line_at_once_and_pays_later(desk: Desk) -> None:
    desk.order("/faults", kind="act_late", seconds=0.4)
    with pytest.raises(httpx.TransportError):
        desk.api.post(PATH, json=BODY)
    assert _executions(desk) == []
    (execution,) = _wait_for_executions(desk, 1)
    assert (execution["request"]["status"], execution["request"]["acted"]) == ("dropped", True)
    assert execution["executed_at"] > execution["request"]["at"]
    assert desk.available() == 997


def test_a_late_actor_refuses_in_silence(desk: Desk) -> None:
    desk.order("/faults", kind="act_late", seconds=0.05)
    with pytest.raises(httpx.TransportError):
        desk.api.post(PATH, json={**BODY, "amount": -1})
    time.sleep(0.2)
    assert (_executions(desk), desk.available()) == ([], 1000)


def test_a_reset_forgets_what_would_have_been_done_later(desk: Desk) -> None:
    desk.order("/faults", kind="act_late", seconds=0.2)
    with pytest.raises(httpx.TransportError):
        desk.api.post(PATH, json=BODY)
    desk.order("/reset")
    time.sleep(0.4)
    assert _executions(desk) == []
    assert len(desk.world.banking.payments) == 13
