"""Lines of a form as columns, and what people paste into them from a spreadsheet."""

from __future__ import annotations

from typing import Any

import pytest

from connector import Connector
from connector.interfaces.console.forms.line_items import CellReader, columns_of, read_paste

CONNECTOR = Connector()
CASH = CONNECTOR.action("create_cash_book_entry")
LINES = next(field for field in CASH.inputs if field.name == "belegzeilen")
COLUMNS = columns_of(LINES.fields)
READER = CellReader(COLUMNS, CASH.inputs, CONNECTOR.library.formats)
BY_PATH = {column.path: column for column in COLUMNS}


def test_an_object_in_a_line_becomes_columns_and_a_rare_field_a_further_one() -> None:
    assert [column.path for column in COLUMNS if not column.advanced] == [
        *("betrag", "belegtext", "gegenkonto", "belegNummer"),
        *("steuersatz.prozent", "steuersatz.buSchluessel"),
    ]
    assert [column.path for column in COLUMNS if column.advanced] == ["kostenstelle1", "kostenstelle2"]
    assert BY_PATH["steuersatz.prozent"].label.de == "Steuersatz: Prozent"


def test_lines_with_files_or_lists_of_their_own_are_no_grid() -> None:
    images = next(field for field in CASH.inputs if field.name == "belegbilder")
    assert columns_of(images.fields) == ()
    person = CONNECTOR.action("save_person_account").inputs
    by_name = {field.name: field for field in person}
    assert columns_of(by_name["kontaktpersonen"].fields) == ()
    assert [column.path for column in columns_of(by_name["bankkonten"].fields)]


@pytest.mark.parametrize(
    "text",
    [
        "Betrag\tBelegtext\n12,50\tBrot\n-3,00\tPfand\n",
        "Text;Amount\nBrot;12,50\nPfand;-3,00\n",
        'betrag,belegtext\r\n"12,50",Brot\r\n"-3,00",Pfand\r\n',
        "12,50\tBrot\r\n-3,00\tPfand\r\n\t\r\n",
    ],
    ids=["tabs and German heads", "semicolons and English heads", "commas and names", "without heads"],
)
def test_rows_are_read_with_and_without_their_heads(text: str) -> None:
    lines = read_paste(text, COLUMNS).lines
    assert [dict(line) for line in lines] == [
        {"betrag": "12,50", "belegtext": "Brot"},
        {"betrag": "-3,00", "belegtext": "Pfand"},
    ]


def test_heads_that_are_no_column_are_told_and_left_out() -> None:
    pasted = read_paste("Nr.\tBetrag\tBelegtext\tKassierer\n1\t5,00\tBrot\tAnna\n", COLUMNS)
    assert pasted.left_out == ("Nr.", "Kassierer")
    assert pasted.lines == ({"betrag": "5,00", "belegtext": "Brot"},)


def test_rows_without_heads_begin_at_the_column_that_has_the_focus() -> None:
    assert read_paste("8400\tKB-1\n4930\tKB-2", COLUMNS, 2).lines == (
        {"gegenkonto": "8400", "belegNummer": "KB-1"},
        {"gegenkonto": "4930", "belegNummer": "KB-2"},
    )


def test_a_column_of_amounts_with_decimal_commas_is_one_column() -> None:
    assert read_paste("12,50\n3,00\n", COLUMNS).lines == ({"betrag": "12,50"}, {"betrag": "3,00"})


@pytest.mark.parametrize(
    ("path", "written", "lang", "shown"),
    [
        ("betrag", "1.234,50 €", "de", "1.234,50"),
        ("betrag", "1.234,50 €", "en", "1,234.50"),
        ("betrag", "41,65-", "de", "-41,65"),
        ("steuersatz.prozent", "19 %", "de", "19"),
        ("gegenkonto", "0840", "de", "0840"),
        ("betrag", "1.234", "de", "1.234"),
    ],
)
def test_what_is_pasted_is_read_by_the_converter_of_all_forms(path: str, written: str, lang: str, shown: str) -> None:
    assert READER.tidied(BY_PATH[path], written, {"waehrung": "EUR"}, lang) == shown


def test_days_as_people_write_them_become_days_of_a_date_field() -> None:
    fields: Any = CONNECTOR.action("list_payments").inputs
    columns = columns_of([field for field in fields if field.type == "date"])
    reader = CellReader(columns, (), CONNECTOR.library.formats)
    assert reader.tidied(columns[0], "31.12.26", {}, "de") == "31.12.2026"
    assert reader.tidied(columns[0], "31.12.26", {}, "en") == "2026-12-31"
    assert reader.tidied(columns[0], "31.02.26", {}, "de") == "31.02.26"


@pytest.mark.parametrize(
    ("written", "currency", "said"),
    [("1.234", "EUR", "1,234.00"), ("abc", "EUR", "must be a number"), ("5 $", "EUR", "USD"), ("5 €", "EUR", None)],
)
def test_what_does_not_fit_is_told_in_its_cell(written: str, currency: str, said: str | None) -> None:
    problem = READER.problem(BY_PATH["betrag"], written, {"waehrung": currency})
    assert (problem is None) if said is None else (problem is not None and said in problem.en)
