"""A table as people read it: sorted, filtered, grouped, added up, and as a file."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

from connector import Connector
from connector.core.values.json import decode
from connector.interfaces.console.figures.table_model import Sorting, TableModel
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.result_rows import table_of

CONNECTOR = Connector()


def model(action: str, output: Any = None, lang: str = "de") -> TableModel:
    manifest = CONNECTOR.action(action)
    text = Localizer(lang).result(CONNECTOR.library, manifest)
    given = decode(json.dumps(manifest.sample, default=float)) if output is None else output  # exact, as from the wire
    return TableModel(table_of(manifest, given, text), text)


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


def test_amounts_of_several_currencies_are_added_each_for_itself_and_written_with_it() -> None:
    shown = model("list_payments", payments(("a", "1", "EUR"), ("b", "1", "CHF"), ("c", "2", "EUR")))
    assert [one for one in shown.totals(range(3)) if one] == ["1,00 CHF\n3,00 EUR"]
    assert shown.currency is None
    assert [row[3] for row in shown.screen_texts()] == ["1,00 EUR", "1,00 CHF", "2,00 EUR"]


def test_amounts_of_one_currency_are_added_and_the_currency_is_said_once() -> None:
    shown = model("list_payments", payments(("a", "1", "EUR"), ("b", "1", "EUR")))
    assert "2,00" in shown.totals([0, 1])
    assert shown.currency == "EUR"
    assert [shown.heads[at] for at in shown.shown if shown.heads[at] in ("Währung", "ID", "Bankkonto")] == []


def test_ids_stand_on_a_screen_only_where_their_names_are_known() -> None:
    plain = model("list_payments")
    assert "Bankkonto" not in [plain.heads[at] for at in plain.shown]
    named = TableModel(plain.table, plain.text, names={"account_id": {"8101": "Geschäftskonto"}})
    assert [named.heads[at] for at in named.shown] == [
        *("Angelegt", "Empfänger", "Verwendungszweck", "Betrag", "Bankkonto", "Status")
    ]
    assert "Geschäftskonto" in named.screen_texts()[0]


def test_account_numbers_sort_as_numbers() -> None:
    rows = [{"kontonummer": number} for number in ("100100000", "8400", "0320", "1200")]
    shown = model("get_trial_balance", {"items": rows})
    assert [rows[at]["kontonummer"] for at in shown.order(Sorting(0))] == ["0320", "1200", "8400", "100100000"]


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
    assert shown.currency == "EUR"
    assert [line for line in lines if isinstance(line, int)] == [0, 1, 2]
    assert shown.order(wanted="petersen") == [0, 1]


def test_the_amount_that_matters_and_the_text_that_names_a_row_are_known() -> None:
    shown = model("get_trial_balance")
    assert shown.heads[shown.main or 0] == "Saldo"
    assert all(shown.weight(at) == 0 for at in range(len(shown.heads)) if shown.is_number(at))
    assert shown.heads[model("get_open_items").lead] != "Saldo"
