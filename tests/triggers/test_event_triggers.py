"""Events pass the filters that are filled in, and money is announced only by the status that means it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from bank_feed import CONNECTOR, handler
from fitting import known_values

UPDATE = {
    "payment_id": "5012",
    "status": "settled",
    "payment_attributes": {"debtor_iban": "DE89 3704 0044 0532 0130 00"},
    "custom_fields": {"vorgang": "EK-12", "lauf": 7, "eilig": True, "anteil": Decimal("0.50")},
}
REFRESH = {
    "connection_id": "7100",
    "provider_code": "haspa_de",
    "status": "active",
    "refresh_type": "automatic",
    "accounts": [{"id": "8101"}, {"id": 8102}, "?"],
}
EVENT_TRIGGERS = [
    "banking_event",
    "refresh_complete",
    "connection_error",
    "connection_destroyed",
    "payment_update",
    "payment_settled",
    "payment_failed",
    "payment_needs_confirmation",
]


@pytest.mark.parametrize(
    ("inputs", "passes"),
    [
        ({}, True),
        ({"connection_id": "7100"}, True),
        ({"connection_id": "7101"}, False),
        ({"provider_code": "haspa_de"}, True),
        ({"provider_code": "gls_de"}, False),
        ({"account_id": "8101"}, True),
        ({"account_id": "8102"}, True),
        ({"account_id": "8103"}, False),
        ({"status": "inactive"}, False),
        ({"event": "refresh_complete"}, True),
        ({"event": "connection_error"}, False),
        ({"connection_id": "7100", "account_id": "8103"}, False),
        ({"payment_id": "5012"}, False),
    ],
)
def test_a_refresh_passes_only_all_filters_that_are_filled_in(inputs: dict[str, Any], passes: bool) -> None:
    assert handler("banking", "banking_event").fires("refresh_complete", REFRESH, inputs) is passes


@pytest.mark.parametrize(
    ("inputs", "passes"),
    [
        ({"payment_id": "5012"}, True),
        ({"payment_id": "5013"}, False),
        ({"status": "settled"}, True),
        ({"status": "executed"}, False),
        ({"debtor_iban": "DE89370400440532013000"}, True),
        ({"debtor_iban": "DE02120300000000202051"}, False),
        ({"custom_field": "vorgang"}, True),
        ({"custom_field": "anderes"}, False),
        ({"custom_field": "vorgang", "custom_value": "EK-12"}, True),
        ({"custom_field": "vorgang", "custom_value": "7"}, False),
        ({"custom_field": "lauf", "custom_value": "7"}, True),
        ({"custom_field": "eilig", "custom_value": "true"}, True),
        ({"custom_field": "anteil", "custom_value": "0.50"}, True),
        ({"custom_value": "EK-12"}, True),
        ({"custom_value": "EK-13"}, False),
    ],
)
def test_a_payment_event_passes_only_all_filters_that_are_filled_in(inputs: dict[str, Any], passes: bool) -> None:
    assert handler("banking", "payment_update").fires("payment_update", UPDATE, inputs) is passes


@pytest.mark.parametrize("trigger", EVENT_TRIGGERS)
@pytest.mark.parametrize("data", [{}, {"accounts": 5, "custom_fields": [], "payment_attributes": "?", "status": []}])
def test_odd_data_passes_no_filter_and_breaks_nothing(trigger: str, data: dict[str, Any]) -> None:
    filters = [one.name for one in CONNECTOR.trigger(trigger).inputs]
    assert filters
    for name in filters:
        assert handler("banking", trigger).fires("payment_update", data, {name: "x"}) is False


def test_payment_settled_fires_on_settled_and_on_nothing_else() -> None:
    judge = handler("banking", "payment_settled").fires
    passing = [one for one in known_values("Payment", "status") if judge("payment_update", {"status": one}, {})]
    assert passing == ["settled"]


def test_payment_failed_fires_on_failed_and_rejected() -> None:
    judge = handler("banking", "payment_failed").fires
    passing = [one for one in known_values("Payment", "status") if judge("payment_update", {"status": one}, {})]
    assert passing == ["failed", "rejected"]


def test_settled_still_has_to_pass_the_filters() -> None:
    judge = handler("banking", "payment_settled").fires
    assert judge("payment_update", UPDATE, {"payment_id": "5012"})
    assert not judge("payment_update", UPDATE, {"payment_id": "5013"})
