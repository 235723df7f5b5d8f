"""A table as people read it: sorted, filtered, grouped, added up, and as a file."""

from __future__ import annotations

import csv
import io
import json
from decimal import Decimal
from typing import Any

import pytest

from connector import Connector
from connector.core.values.json import decode
from connector.interfaces.console.figures.result_data import table_of
from connector.interfaces.console.figures.table import Sorting, TableModel
from connector.interfaces.console.localizer import Localizer

CONNECTOR = Connector()


def model(action: str, output: Any = None, lang: str = "de") -> TableModel:
    manifest = CONNECTOR.action(action)
    text = Localizer(lang).result(CONNECTOR.library, manifest)
    given = decode(json.dumps(manifest.sample, default=float)) if output is None else output  # exact, as from the wire
    return TableModel(table_of(manifest, given), text, lang)


def payments(*rows: tuple[str, str, str]) -> dict[str, Any]:
    return {
        "items": [
            {"creditor_name": name, "amount": Decimal(amount), "currency_code": currency, "status": "settled"}
            for name, amount, currency in rows
        ]
    }


def test_rows_sort_by_the_value_and_not_by_its_text() -> None:
    shown = model("list_payments", payments(("b", "9.00", "EUR"), ("A", "1000.00", "EUR"), ("c", "-20.00", "EUR")))
    amount = shown.heads.index("Betrag")
    assert shown.order(Sorting(amount)) == [2, 0, 1]
    assert shown.order(Sorting(amount, descending=True)) == [1, 0, 2]
    assert shown.order(Sorting(shown.heads.index("Empfänger"))) == [1, 0, 2]


def test_balances_on_both_sides_of_an_account_sort_and_add_up_with_their_sign() -> None:
    shown = model("get_trial_balance")
    saldo = shown.heads.index("Saldo")
    assert [shown.texts[at][0] for at in shown.order(Sorting(saldo))] == ["8400", "1200"]
    assert shown.totals(range(2))[saldo] == "19.608,93 H"
    assert shown.totals(range(2))[shown.heads.index("Umsatz Soll")] == "26.661,50"


def test_amounts_of_several_currencies_are_not_added() -> None:
    assert not any(model("list_payments", payments(("a", "1", "EUR"), ("b", "1", "CHF"))).totals([0, 1]))
    assert "2,00" in model("list_payments", payments(("a", "1", "EUR"), ("b", "1", "EUR"))).totals([0, 1])


def test_a_filter_finds_what_people_see_in_any_column() -> None:
    shown = model("list_payments", payments(("Reifen Voss", "1.50", "EUR"), ("Petersen", "2.50", "EUR")))
    assert shown.order(wanted="voss 1,50") == [0]
    assert shown.order(wanted="endgültig") == [0, 1]
    assert shown.order(wanted="nobody") == []


def test_open_items_stand_below_their_account_with_its_sum() -> None:
    shown = model("get_open_items")
    lines = shown.lines(shown.order())
    heads = [line for line in lines if isinstance(line, dict)]
    assert [line["group"] for line in heads] == ["100100007 Hausverwaltung Petersen GmbH", "700100003 Reifen Voss KG"]
    assert [line["totals"][-1] for line in heads] == ["1.428,00", "−297,50"]
    assert [line for line in lines if isinstance(line, int)] == [0, 1, 2]
    assert shown.order(wanted="petersen") == [0, 1]


def test_the_amount_that_matters_and_the_text_that_names_a_row_are_known() -> None:
    shown = model("get_trial_balance")
    assert shown.heads[shown.main or 0] == "Saldo"
    assert all(shown.weight(at) == 0 for at in range(len(shown.heads)) if shown.is_number(at))
    assert shown.heads[model("get_open_items").lead] != "Saldo"


@pytest.mark.parametrize(
    ("lang", "separator", "begins", "amount", "day"),
    [("de", ";", b"\xef\xbb\xbfKontonummer;", "952,00", "18.03.2026"), ("en", ",", b"Account", "952.00", "2026-03-18")],
)
def test_a_file_opens_in_the_spreadsheet_of_its_language(
    lang: str, separator: str, begins: bytes, amount: str, day: str
) -> None:
    shown = model("get_open_items", lang=lang)
    file = shown.csv(shown.order())
    assert file.startswith(begins)
    rows = list(csv.reader(io.StringIO(file.decode("utf-8-sig")), delimiter=separator))
    assert rows[1][0] == "100100007"
    assert (rows[1][-1], rows[1][2]) == (amount, day)


def test_a_balance_is_a_number_and_its_side_in_a_file() -> None:
    file = model("get_trial_balance").csv([0]).decode("utf-8-sig").splitlines()
    assert file[0].endswith(";Saldo;Saldo: S/H")
    assert file[1].endswith(";38211,07;S")


@pytest.mark.parametrize(
    ("id", "cell"),
    [
        ("9007199254740993", '="9007199254740993"'),
        ("123456789012", '="123456789012"'),
        ("0840", '="0840"'),
        ("12345678901", "12345678901"),
        ("0", "0"),
        ("RE-2026-0001", "RE-2026-0001"),
    ],
)
def test_a_spreadsheet_keeps_every_digit_of_an_id(id: str, cell: str) -> None:
    shown = model("list_payments", payments((id, "-1.00", "EUR")))
    row = next(csv.reader(io.StringIO(shown.csv([0]).decode("utf-8-sig").splitlines()[1]), delimiter=";"))
    assert row[1] == cell


def test_a_file_holds_no_formula() -> None:
    shown = model("list_payments", payments(('=HYPERLINK("http://evil")', "-1.00", "EUR")))
    row = next(csv.reader(io.StringIO(shown.csv([0]).decode("utf-8-sig").splitlines()[1]), delimiter=";"))
    assert row[1].startswith("'=")
    assert row[2] == "-1,00"
