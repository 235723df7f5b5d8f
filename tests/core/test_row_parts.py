"""What the fields of a row mean to people, as its resource declares it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.core.data.row_parts import RowParts, labelled
from connector.core.manifest.library import Library

LIBRARY: Library = Connector("unused").library
ROWS = LIBRARY.row_parts("Transaction")


def row(amount: str | None, **further: Any) -> dict[str, Any]:
    return {"amount": None if amount is None else Decimal(amount), **further}


BOTH = {"payer": "Petersen GmbH", "payee": "Nordlicht GmbH"}


@pytest.mark.parametrize(
    ("row", "name"),
    [
        (row("1.00", extra=BOTH), "Petersen GmbH"),
        (row("-1.00", extra=BOTH), "Nordlicht GmbH"),
        (row("1.00", extra={"payee": "Nordlicht GmbH"}), None),
        (row("1.00", extra={}, description_parsed={"abwa": "Mutter AG"}), "Mutter AG"),
        (row("-1.00", extra={"payee": ""}, description_parsed={"abwe": "Inkasso AG", "abwa": "x"}), "Inkasso AG"),
        (row("1.00", description="SVWZ+Miete ABWA+Mutter AG EREF+7"), "Mutter AG"),
        (row("-1.00", description="SVWZ+Miete ABWA+Mutter AG"), None),
        (row(None, extra={"payee": "Nordlicht GmbH"}), "Nordlicht GmbH"),
        (row("1.00", description="Miete Mai"), None),
        (row("1.00"), None),
    ],
)
def test_the_other_side_of_a_bank_row_is_who_paid_or_who_was_paid(row: dict[str, Any], name: str | None) -> None:
    assert ROWS.value("counterparty", row) == name


@pytest.mark.parametrize(
    ("row", "purpose"),
    [
        ({"description": "SVWZ+raw", "description_parsed": {"svwz": "parsed"}}, "parsed"),
        ({"description": "EREF+RE1 SVWZ+Rechnung RE-1+2 vom 3.5. KREF+9"}, "Rechnung RE-1+2 vom 3.5."),
        ({"description": "EREF+RE1SVWZ+no label within a word"}, "EREF+RE1SVWZ+no label within a word"),
        ({"description": "EREF+RE1 KREF+9"}, "EREF+RE1 KREF+9"),
        ({"description": "Miete EUR+NK", "description_parsed": {"svwz": None}}, "Miete EUR+NK"),
        ({"description": "SVWZ+"}, "SVWZ+"),
        ({}, None),
    ],
)
def test_the_purpose_of_a_bank_row_is_what_a_person_wrote(row: dict[str, Any], purpose: str | None) -> None:
    assert ROWS.value("purpose", row) == purpose


def test_a_text_has_the_label_that_is_asked_for_or_nothing() -> None:
    assert labelled("SVWZ+a SVWZ+b", "SVWZ", ("SVWZ",)) == "b"
    assert labelled("", "SVWZ", ("SVWZ",)) is None


def test_a_balance_is_below_zero_on_the_credit_side() -> None:
    debit = LIBRARY.balance({"betrag": 7, "sollHabenKennzeichen": "SOLL"})
    credit = LIBRARY.balance({"betrag": Decimal("7.5"), "sollHabenKennzeichen": "HABEN"})
    assert debit is not None
    assert credit is not None
    assert (debit.signed, credit.signed) == (Decimal(7), Decimal("-7.5"))
    for other in ({"betrag": 7, "sollHabenKennzeichen": "LINKS"}, {"betrag": 7}, {}, None, "7 S", [7]):
        assert LIBRARY.balance(other) is None


def test_a_row_inside_another_has_the_parts_of_that_one_unless_it_says_them_itself() -> None:
    parts = LIBRARY.row_parts("OpenItems", "konten[].posten[]")
    balance = {"isDebitor": False, "totalSaldo": Decimal(9), "saldo": Decimal(2), "kontonummer": "7", "beleg": "V-1"}
    assert parts.value("debtor", balance) is False
    assert parts.amount(balance) == Decimal(2)
    assert parts.value("number", balance) == "V-1"
    assert parts.value("currency", balance) == "EUR"


def test_a_column_is_a_field_or_a_marked_part() -> None:
    row = {"description": "SVWZ+Miete", "extra": {"payer": "x"}}
    assert ROWS.cell("@purpose", row) == "Miete"
    assert ROWS.cell("description", row) == "SVWZ+Miete"
    assert ROWS.cell("extra.payer", row) == "x"
    assert (ROWS.plain("@purpose"), ROWS.plain("@counterparty"), ROWS.plain("status")) == (
        "description",
        None,
        "status",
    )


def test_a_resource_that_declares_nothing_has_no_parts() -> None:
    parts = RowParts({})
    assert "amount" not in parts
    assert parts.amount({"amount": 7}) is None
    assert parts.path("amount") is None
