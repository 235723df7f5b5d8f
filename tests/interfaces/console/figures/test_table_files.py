"""A table as a file: a spreadsheet opens it unharmed, with ids as text, real days and numbers, and nothing is run."""

from __future__ import annotations

import csv
import io
import re
from typing import Any

import pytest
from openpyxl import load_workbook

from connector.interfaces.console.figures.spreadsheet_file import spreadsheet_file
from connector.interfaces.console.figures.table_files import TableFile
from tests.interfaces.console.figures.test_table_model import model, payments

BOM = "\ufeff".encode()
FORMULAS = (
    '=HYPERLINK("http://evil")',
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    " =1+1",
    "＝1+1",
    "=cmd|'/c calc'!A1",
)


def rows_of(file: bytes, separator: str = ";") -> list[list[str]]:
    return list(csv.reader(io.StringIO(file.decode("utf-8-sig")), delimiter=separator))


def sheet_of(file: bytes) -> Any:
    return load_workbook(io.BytesIO(file)).active


def written(action: str, output: Any = None, lang: str = "de", order: Any = None) -> tuple[TableFile, list[int]]:
    shown = model(action, output, lang)
    return TableFile(shown, lang), list(shown.order() if order is None else order)


@pytest.mark.parametrize(
    ("lang", "separator", "begins", "amount", "day"),
    [
        ("de", ";", BOM + b"Kontonummer;", "952,00", "18.03.2026"),
        ("en", ",", BOM + b"Account number,", "952.00", "2026-03-18"),
    ],
)
def test_a_file_opens_in_the_spreadsheet_of_its_language(
    lang: str, separator: str, begins: bytes, amount: str, day: str
) -> None:
    file, order = written("get_open_items", lang=lang)
    found = file.csv(order)
    assert found.startswith(begins)
    rows = rows_of(found, separator)
    assert rows[1][0] == "100100007"
    assert (rows[1][-1], rows[1][2]) == (amount, day)


def test_a_balance_is_a_number_and_its_side_in_a_file() -> None:
    file, _ = written("get_trial_balance")
    rows = rows_of(file.csv([0]))
    assert rows[0][-2:] == ["Saldo", "Saldo: S/H"]
    assert rows[1][-2:] == ["38211,07", "S"]


@pytest.mark.parametrize(
    ("id", "cell"),
    [
        ("9007199254740993", '="9007199254740993"'),
        ("123456789012", '="123456789012"'),
        ("0840", '="0840"'),
        ("10-12", '="10-12"'),
        ("1E5", '="1E5"'),
        ("3/4", '="3/4"'),
        ("12345678901", "12345678901"),
        ("0", "0"),
        ("RE-2026-0001", "RE-2026-0001"),
        ("04.05.2026", "04.05.2026"),
    ],
)
def test_a_spreadsheet_keeps_every_sign_of_a_name(id: str, cell: str) -> None:
    file, _ = written("list_payments", payments((id, "-1.00", "EUR")))
    assert rows_of(file.csv([0]))[1][1] == cell


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_workbook_holds_no_formula(formula: str) -> None:
    file, _ = written("list_payments", payments((formula, "-1.00", "EUR")))
    sheet = sheet_of(file.xlsx([0], head=[(formula,)], name=formula))
    assert {cell.data_type for line in sheet.iter_rows() for cell in line if cell.value is not None} == {"s", "n"}


@pytest.mark.parametrize(
    "before", ["", "\r", "\n", "\t", " ", "\u00a0", "\r\n \t", "\ufeff", "\u200b", "\x00", "\u202e"]
)
@pytest.mark.parametrize("sign", ["=", "+", "-", "@", "\uff1d"])
@pytest.mark.parametrize("lang", ["de", "en"])
def test_a_file_holds_no_formula(before: str, sign: str, lang: str) -> None:
    evil = f'{before}{sign}HYPERLINK("http://evil")'
    written_file, _ = written("list_payments", payments((evil, "-1.00", "EUR")), lang=lang)
    file = written_file.csv([0], [("A", evil), (f"x{before or '; '}{sign}1",)])
    rows = rows_of(file, ";" if lang == "de" else ",")
    assert rows[-1][1].startswith("'")
    assert rows[-1][3] == ("-1,00" if lang == "de" else "-1.00"), "a number is none"
    assert rows[0][1].startswith("'")
    assert len(rows) == 4
    lines = re.split("[\r\n]+", file.decode("utf-8-sig"))
    assert not [line for line in lines if re.match(rf"[\s;,\"]*[{re.escape(sign)}]", line)]
    assert not [cell for row in rows for cell in row if "\r" in cell or "\n" in cell]


def test_a_workbook_has_real_days_and_numbers_and_ids_as_text() -> None:
    rows = payments(("Müller & Söhne", "1234.50", "EUR"), ("0049", "-7.1", "EUR"))
    rows["items"][0] |= {
        "created_at": "2026-05-03T22:20:00+00:00",
        "id": "10000000000000006",
        "account_id": "0222",
        "description": "=1+1",
    }
    file, order = written("list_payments", rows)
    head = [("Zahlungen",), ("Mandant", "Nordlicht"), ("Abgerufen am", "04.05.2026 10:00"), ()]
    sheet = sheet_of(file.xlsx(order, head, "Zahlungen: alle [1/2]"))
    assert [cell.value for cell in sheet["A"][:3]] == ["Zahlungen", "Mandant", "Abgerufen am"]
    names = [cell.value for cell in sheet[5]]
    first = dict(zip(names, sheet[6], strict=True))
    second = dict(zip(names, sheet[7], strict=True))
    assert first["Angelegt"].value.isoformat() == "2026-05-04T00:20:00"  # in Berlin, as on the screen
    assert first["Angelegt"].is_date
    assert (first["Betrag"].value, first["Betrag"].number_format) == (1234.5, "#,##0.00")
    assert (first["ID"].value, first["ID"].data_type) == ("10000000000000006", "s")
    assert first["Bankkonto"].value == "0222"
    assert (first["Verwendungszweck"].value, first["Verwendungszweck"].data_type) == ("=1+1", "s")
    assert first["Empfänger"].value == "Müller & Söhne"
    assert (second["Empfänger"].value, second["Empfänger"].data_type) == ("0049", "s")
    assert second["Betrag"].value == -7.1
    assert second["ID"].value is None
    assert sheet.freeze_panes == "A6"
    assert sheet.auto_filter.ref.startswith("A5:")


def test_a_workbook_keeps_digits_that_a_spreadsheet_would_round() -> None:
    file, order = written("list_payments", payments(("a", "12345678901234567.89", "EUR")))
    row = [cell.value for cell in sheet_of(file.xlsx(order))[2]]
    assert "12345678901234567.89" in row


def test_open_items_of_a_workbook_name_their_account_in_each_row() -> None:
    file, order = written("get_open_items")
    sheet = sheet_of(file.xlsx(order))
    assert [cell.value for cell in sheet[1]][:3] == ["Kontonummer", "Bezeichnung", "Belegdatum"]
    assert [cell.value for cell in sheet[2]][:2] == ["100100007", "Hausverwaltung Petersen GmbH"]
    assert sheet["C2"].is_date
    assert sheet["C2"].value.date().isoformat() == "2026-03-18"


def test_a_currency_without_cents_is_written_without_them() -> None:
    file, order = written("list_payments", payments(("a", "1200", "JPY")))
    sheet = sheet_of(file.xlsx(order))
    amount = next(cell for cell in sheet[2] if cell.data_type == "n" and cell.value is not None)
    assert (amount.value, amount.number_format) == (1200, "0")


def test_words_of_people_stay_as_they_are() -> None:
    file = spreadsheet_file([("Miete 10-12", "50 %", "–", "1.4.26 bis 3.5.26")], "de")
    assert rows_of(file) == [["Miete 10-12", "50 %", "", "1.4.26 bis 3.5.26"]]
