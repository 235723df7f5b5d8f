from __future__ import annotations

from decimal import Decimal
from typing import Any

import httpx
import pytest

from connector.sandbox.access.api_keys import ORGANIZATION
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.sandbox.ledger.demo import ledger_connection_id
from tests.support.running_sandbox import RunningSandbox

PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Kettenwerk Teile GmbH",
    "creditor_iban": "DE89370400440532013000",
    "amount": 10.5,
    "custom_fields": {"kontor_key": "run-1"},
}
ENTRY = {
    "waehrung": "EUR",
    "kassenname": "Ladenkasse",
    "betrag": 79.9,
    "transaktionsdatum": "2026-11-14T10:00:00+01:00",
    "belegzeilen": [{"belegtext": "Verkauf Fahrradhelm", "gegenkonto": "8400", "betrag": 79.9}],
}
CASH_BOOK = f"/v2/ledger-duo/kassenbuch-advanced?connection_id={ledger_connection_id('nordlicht')}"


def _executions(sandbox: RunningSandbox, **query: Any) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = sandbox.look("/executions", **query)["data"]
    return data


def test_an_executed_payment_is_recorded_with_what_was_received(sandbox: RunningSandbox) -> None:
    payment = sandbox.with_key("sandbox-key-2").post("/v2/banking/payments", json=PAYMENT).json()["data"]
    (execution,) = _executions(sandbox)
    request = execution["request"]
    assert (request["path"], request["key"], request["status"]) == ("/v2/banking/payments", "second", 201)
    assert request["body"]["custom_fields"] == {"kontor_key": "run-1"}
    assert request["body"]["amount"] == Decimal("10.5")
    assert (execution["result"]["data"]["id"], execution["organization_id"]) == (payment["id"], ORGANIZATION)
    assert request["at"] <= execution["executed_at"]


def test_a_booking_is_recorded_with_its_lines(sandbox: RunningSandbox) -> None:
    assert sandbox.api.post(CASH_BOOK, json=ENTRY).status_code == 200
    (execution,) = _executions(sandbox)
    assert execution["request"]["body"]["belegzeilen"] == [ENTRY["belegzeilen"][0] | {"betrag": Decimal("79.9")}]
    assert execution["result"]["belegzeilen"][0]["belegtext"] == "Verkauf Fahrradhelm"


@pytest.mark.parametrize("kind", ["drop_after", "error_500_after", "truncated", "malformed"])
def test_what_was_executed_is_recorded_whatever_the_caller_heard(sandbox: RunningSandbox, kind: str) -> None:
    sandbox.order("/faults", kind=kind)
    with pytest.raises((httpx.TransportError, AssertionError)):
        assert sandbox.api.post("/v2/banking/payments", json=PAYMENT).status_code == 201
    assert [execution["request"]["fault"] for execution in _executions(sandbox)] == [kind]


@pytest.mark.parametrize("kind", ["drop_before", "error_500", "rate_limited"])
def test_what_was_not_executed_is_not_recorded(sandbox: RunningSandbox, kind: str) -> None:
    sandbox.order("/faults", kind=kind)
    with pytest.raises((httpx.TransportError, AssertionError)):
        assert sandbox.api.post("/v2/banking/payments", json=PAYMENT).status_code == 201
    assert sandbox.api.post("/v2/banking/payments", json={**PAYMENT, "amount": 0}).status_code == 400
    assert sandbox.api.get("/v2/banking/payments").status_code == 200
    assert _executions(sandbox) == []


def test_reading_the_executions_uses_up_no_rate_window(sandbox: RunningSandbox) -> None:
    sandbox.order("/limits", limit=1)
    sandbox.api.post("/v2/banking/payments", json=PAYMENT)
    assert sandbox.api.get("/v2/banking/payments").status_code == 429
    assert len(_executions(sandbox)) == 1
    assert _executions(sandbox, since=1) == []
