"""Every dropdown shows options a person can choose from, and keeps ids as text."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.runtime.lookups import _options
from lookups import (
    bank_accounts,
    bank_connections,
    currencies,
    document_types,
    fiscal_years,
    ledger_connections,
    payments,
)

TODAY = date(2026, 5, 4)


def option(value: str, label: str, hint: str = "") -> dict[str, str]:
    return {"value": value, "label": label, "hint": hint}


def payment(connection_id: Any, provider_name: str | None) -> dict[str, Any]:
    return {"id": "1", "connection_id": connection_id, "provider_name": provider_name}


def test_ledger_connections_that_work_come_first_and_the_nameless_show_their_id() -> None:
    items: list[Any] = [
        {"id": "p", "bezeichnung": None, "status": "pending"},
        {"id": "b", "bezeichnung": "Beta", "status": "connected"},
        {"id": "x", "bezeichnung": None, "status": "connected"},
        {"id": "a", "bezeichnung": "Alpha", "status": "connected"},
    ]
    assert ledger_connections.options(items, {}, TODAY) == [
        option("a", "Alpha", "connected"),
        option("b", "Beta", "connected"),
        option("x", "x", "connected"),
        option("p", "p", "pending"),
    ]


def test_document_types_are_offered_whatever_their_fields_are_called() -> None:
    items = [{"id": 1, "bezeichnung": "Kasse"}, {"code": "R", "name": "Rechnung"}, {"bezeichnung": "Sonstige"}]
    assert document_types.options([*items, {"id": "7"}, {}], {}, TODAY) == [
        option("1", "Kasse"),
        option("R", "Rechnung"),
        option("Sonstige", "Sonstige"),
        option("7", "7"),
    ]


def test_plain_names_are_offered_too() -> None:
    found = list(_options(Connector().lookup("document_types"), ["Rechnung", "Kasse", 7, None], {}, TODAY))
    assert [(one.value, one.label) for one in found] == [("Rechnung", "Rechnung"), ("Kasse", "Kasse")]


def test_fiscal_years_run_from_next_year_to_four_years_ago() -> None:
    found = fiscal_years.options([], {}, TODAY)
    assert [one["value"] for one in found] == [f"{year}-01-01" for year in (2027, 2026, 2025, 2024, 2023, 2022)]
    assert found[1]["label"] == "2026 (1 Jan 2026 – 31 Dec 2026)"


def test_a_bank_account_shows_the_end_of_its_iban_and_its_exact_balance() -> None:
    items: list[Any] = [
        {
            "id": "8101",
            "name": "Geschäftskonto",
            "balance": Decimal("12345678901234567.10"),
            "currency_code": "EUR",
            "extra": {"iban": "DE89370400440532013000"},
        },
        {"id": 8102, "name": "Tagesgeld", "balance": 25000, "currency_code": "EUR", "extra": None},
        {"id": "8103"},
    ]
    assert bank_accounts.options(items, {}, TODAY) == [
        option("8101", "Geschäftskonto (… 3000)", "12345678901234567.10 EUR"),
        option("8102", "Tagesgeld", "25000 EUR"),
        option("8103", "8103"),
    ]


def test_a_bank_connection_is_offered_once_by_its_banks_name() -> None:
    items: list[Any] = [
        payment("7102", "Sparkasse"),
        payment(7101, None),
        payment("7101", "GLS Bank"),
        payment("7102", "Sparkasse"),
        payment(None, "ohne"),
        payment("7099", "Sparkasse"),
    ]
    assert bank_connections.options(items, {}, TODAY) == [
        option("7101", "GLS Bank", "7101"),
        option("7099", "Sparkasse", "7099"),
        option("7102", "Sparkasse", "7102"),
    ]


def test_a_payment_shows_recipient_amount_state_and_day_in_the_services_order() -> None:
    items: list[Any] = [
        {
            "id": "5012",
            "creditor_name": "Reifen Voss KG",
            "amount": Decimal("297.50"),
            "currency_code": "EUR",
            "status": "settled",
            "created_at": "2026-05-03T09:20:00+00:00",
        },
        {"id": "5011", "amount": "unreadable", "status": None},
    ]
    assert payments.options(items, {}, TODAY) == [
        option("5012", "Reifen Voss KG, 297.50 EUR", "settled, 2026-05-03"),
        option("5011", "5011"),
    ]


def test_the_euro_is_the_first_currency_and_the_others_are_in_order() -> None:
    found = [one["value"] for one in currencies.options([], {}, TODAY)]
    assert found[0] == "EUR"
    assert found[1:] == sorted(found[1:])
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(("code", "smallest"), [("EUR", "0.01"), ("JPY", "1"), ("BHD", "0.001")])
def test_a_currency_shows_its_smallest_amount(code: str, smallest: str) -> None:
    hints = {one["value"]: one["hint"] for one in currencies.options([], {}, TODAY)}
    assert hints[code] == smallest


def test_gold_and_test_codes_are_no_currencies_to_book_in() -> None:
    assert not {"XAU", "XTS", "XXX"} & {one["value"] for one in currencies.options([], {}, TODAY)}
