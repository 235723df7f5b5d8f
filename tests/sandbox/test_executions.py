from __future__ import annotations

from decimal import Decimal
from typing import Any

import httpx
import pytest
from service_desk import Desk

from connector.sandbox.api_keys import ORGANIZATION
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.sandbox.ledger.demo import ledger_connection_id

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


def _executions(desk: Desk, **query: Any) -> list[dict[str, Any]]:
    data: list[dict[str, Any]] = desk.look("/executions", **query)["data"]
    return data


def test_an_executed_payment_is_recorded_with_what_was_received(desk: Desk) -> None:
    made = desk.with_key("sandbox-key-2").post("/v2/banking/payments", json=PAYMENT).json()["data"]
    (execution,) = _executions(desk)
    request = execution["request"]
    assert (request["path"], request["key"], request["status"]) == ("/v2/banking/payments", "second", 201)
    assert request["body"]["custom_fields"] == {"kontor_key": "run-1"}
    assert request["body"]["amount"] == Decimal("10.5")
    assert (execution["result"]["data"]["id"], execution["organization_id"]) == (made["id"], ORGANIZATION)
    assert request["at"] <= execution["executed_at"]


def test_a_booking_is_recorded_with_its_lines(desk: Desk) -> None:
    assert desk.api.post(CASH_BOOK, json=ENTRY).status_code == 200
    (execution,) = _executions(desk)
    assert execution["request"]["body"]["belegzeilen"] == [ENTRY["belegzeilen"][0] | {"betrag": Decimal("79.9")}]
    assert execution["result"]["belegzeilen"][0]["belegtext"] == "Verkauf Fahrradhelm"


@pytest.mark.parametrize("kind", ["drop_after", "error_500_after", "truncated", "malformed"])
def test_what_was_executed_is_recorded_whatever_the_caller_heard(desk: Desk, kind: str) -> None:
    desk.order("/faults", kind=kind)
    with pytest.raises((httpx.TransportError, AssertionError)):
        assert desk.api.post("/v2/banking/payments", json=PAYMENT).status_code == 201
    assert [one["request"]["fault"] for one in _executions(desk)] == [kind]


@pytest.mark.parametrize("kind", ["drop_before", "error_500", "rate_limited"])
def test_what_was_not_executed_is_not_recorded(desk: Desk, kind: str) -> None:
    desk.order("/faults", kind=kind)
    with pytest.raises((httpx.TransportError, AssertionError)):
        assert desk.api.post("/v2/banking/payments", json=PAYMENT).status_code == 201
    assert desk.api.post("/v2/banking/payments", json={**PAYMENT, "amount": 0}).status_code == 400
    assert desk.api.get("/v2/banking/payments").status_code == 200
    assert _executions(desk) == []


def test_reading_the_executions_uses_up_no_rate_window(desk: Desk) -> None:
    desk.order("/limits", limit=1)
    desk.api.post("/v2/banking/payments", json=PAYMENT)
    assert desk.api.get("/v2/banking/payments").status_code == 429
    assert len(_executions(desk)) == 1
    assert _executions(desk, since=1) == []
