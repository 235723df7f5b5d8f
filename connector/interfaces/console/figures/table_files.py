"""A table as a file that a spreadsheet opens unharmed: ids as text, real days and numbers, and nothing that is run."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from connector.core.data.localize import USUAL_DECIMALS, ZONE
from connector.core.data.row_parts import money_of
from connector.core.messages import say
from connector.core.values import dates
from connector.core.values.money import as_money, with_cents
from connector.interfaces.console.figures.spreadsheet_file import Figure, spreadsheet_file
from connector.interfaces.console.figures.table_model import TableModel
from connector.interfaces.result_text import EMPTY, decimals_of

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

MAX_CELL = 32_767
MAX_SHEET_NAME = 31
MAX_WIDTH = 60
FIRST_YEAR = 1901
"""Spreadsheets know no earlier days."""
_NO_SHEET_NAME = re.compile(r"[\[\]:*?/\\']")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")
Cell = str | Decimal | date | datetime | None
Head = Iterable[Sequence[str]]
"""Lines over the columns, which say what the figures belong to."""


class TableFile:
    """The rows of a table, with all its columns, as cells of a file."""

    def __init__(self, model: TableModel, lang: str) -> None:
        self._model, self._lang = model, lang

    def csv(self, order: Iterable[int], head: Head = ()) -> bytes:
        """Return the rows as text: in German with semicolons and decimal commas, as a German spreadsheet opens it."""
        rows = ([self._written(cell) for cell in self._row(at)] for at in order)
        return spreadsheet_file([*head, self._heads(), *rows], self._lang)

    def xlsx(self, order: Iterable[int], head: Head = (), name: str = "Kontor") -> bytes:
        """Return the rows as a workbook with one sheet, whose heads stay in view and filter."""
        from xlsxwriter import Workbook

        file = io.BytesIO()
        book = Workbook(file, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
        sheet = book.add_worksheet((_NO_SHEET_NAME.sub(" ", name)[:MAX_SHEET_NAME]).strip() or "Kontor")
        _Sheet(book, sheet).write(list(head), self._heads(), [self._row(at) for at in order])
        book.close()
        return file.getvalue()

    def _heads(self) -> list[str]:
        model = self._model
        heads = model.text.labels(model.table.group)
        for column, head in ((at, model.heads[at]) for at in model.in_files):
            heads += [head, f"{head}: {say('table_side').in_(self._lang)}"] if model.has_sides(column) else [head]
        return heads

    def _row(self, at: int) -> list[Cell]:
        model, source = self._model, self._model.table.sources[at]
        row = model.table.rows[at]
        cells: list[Cell] = [model.text.value(row[name], name, source) for name in model.table.group]
        for column, name in ((at, model.table.columns[at]) for at in model.in_files):
            value = row[name]
            balance = model.text.balance(value)
            if model.has_sides(column):
                cells += (
                    [None, None] if balance is None else [_number(balance.amount), model.text.side(balance.is_debit)]
                )
            elif isinstance(value, Decimal | int) and not isinstance(value, bool):
                cells.append(self._amount(value, source) if model.is_amount(column) else Decimal(value))
            elif model.is_day(column) and isinstance(value, str):
                cells.append(_moment(value) or model.texts[at][column])
            else:
                cells.append(value if model.text.is_iban(name) and isinstance(value, str) else model.texts[at][column])
        return [None if cell == EMPTY else cell for cell in cells]

    def _amount(self, value: Any, source: Any) -> Decimal:
        """An amount with at least the decimals of its currency."""
        decimals = decimals_of(self._model.text.parts.value("currency", source))
        exact = as_money(value)
        return with_cents(exact) if decimals == USUAL_DECIMALS else exact

    def _written(self, cell: Cell) -> str:
        match cell:
            case None:
                return ""
            case Decimal():
                return Figure(f"{cell:f}".replace(".", ",") if self._lang == "de" else f"{cell:f}")
            case datetime():
                return f"{cell:%d.%m.%Y %H:%M}" if self._lang == "de" else f"{cell:%Y-%m-%d %H:%M}"
            case date():
                return f"{cell:%d.%m.%Y}" if self._lang == "de" else cell.isoformat()
            case _:
                return cell


class _Sheet:
    """Writes cells by their kind; a text is never taken for a formula, an address or a number."""

    def __init__(self, book: Workbook, sheet: Worksheet) -> None:
        self._book, self._sheet = book, sheet
        self._bold = book.add_format({"bold": True})
        self._head = book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
        self._formats: dict[str, Format] = {}

    def write(self, head: Sequence[Sequence[str]], names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
        """Write everything, and let the heads filter and stay in view."""
        for at, line in enumerate(head):
            for column, text in enumerate(line):
                self._text(at, column, text, self._bold if at == 0 else None)
        top = len(head)
        for column, name in enumerate(names):
            self._text(top, column, name, self._head)
        for at, row in enumerate(rows, start=top + 1):
            for column, cell in enumerate(row):
                self._cell(at, column, cell)
        self._sheet.ignore_errors({"number_stored_as_text": "A1:XFD1048576"})
        self._sheet.freeze_panes(top + 1, 0)
        self._sheet.autofilter(top, 0, top + len(rows), max(0, len(names) - 1))
        for column, name in enumerate(names):
            widest = max([len(name), *(len(_width(row[column])) for row in rows[:500])])
            self._sheet.set_column(column, column, min(MAX_WIDTH, widest + 2))

    def _cell(self, row: int, column: int, cell: Cell) -> None:
        match cell:
            case None:
                return
            case Decimal() if Decimal(repr(float(cell))) == cell:
                decimals = max(0, -int(cell.as_tuple().exponent))
                pattern = "#,##0" + ("." + "0" * decimals if decimals else "")
                self._sheet.write_number(row, column, float(cell), self._format(pattern if decimals else "0"))
            case Decimal():
                self._text(row, column, f"{cell:f}")  # a spreadsheet keeps 15 digits
            case date() if cell.year < FIRST_YEAR:
                self._text(row, column, cell.isoformat())
            case datetime():
                self._sheet.write_datetime(row, column, cell, self._format("dd.mm.yyyy hh:mm"))
            case date():
                self._sheet.write_datetime(row, column, cell, self._format("dd.mm.yyyy"))
            case _:
                self._text(row, column, cell, self._format("@"))

    def _text(self, row: int, column: int, text: str, format: Format | None = None) -> None:
        self._sheet.write_string(row, column, _CONTROLS.sub(" ", text)[:MAX_CELL], format)

    def _format(self, pattern: str) -> Format:
        return self._formats.setdefault(pattern, self._book.add_format({"num_format": pattern}))


def _number(value: Any) -> Decimal | None:
    found = money_of(value)
    return None if found is None else with_cents(found)


def _moment(text: str) -> Cell:
    """A day, or a point in time in Berlin as a spreadsheet shows it, without a zone."""
    try:
        if len(text) == len("2026-05-31"):
            return dates.day(text)
        return dates.instant(text).astimezone(ZoneInfo(ZONE)).replace(tzinfo=None) if text[10:11] == "T" else None
    except (ValueError, OverflowError):
        return None


def _width(cell: Cell) -> str:
    return "" if cell is None else "00.00.0000 00:00" if isinstance(cell, date) else str(cell)
