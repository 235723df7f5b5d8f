"""A table as people read it: sorted, filtered, grouped, added up, and as a file for a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from connector.core.messages import say
from connector.core.values.money import as_money, total, with_cents
from connector.interfaces.console.figures.labels import FigureLabel
from connector.interfaces.console.figures.result_data import Table
from connector.interfaces.console.frame.widgets import TextWidget, box, button, flex_row
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.result_text import AMOUNT_FIELDS, CURRENCY_FIELDS, EMPTY, ResultText, has_side

SHORT = 12
"""Columns of at most so many characters are never cut off."""
LONGEST_WEIGHT = 40
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A text that begins so would be run as a formula by a spreadsheet."""


@dataclass(frozen=True, slots=True)
class Sorting:
    """The column by which the rows stand, and in which direction."""

    column: int
    descending: bool = False


class TableModel:
    """The rows of a table with their texts in one language."""

    def __init__(self, table: Table, text: ResultText, lang: str) -> None:
        self.table, self._text, self._lang = table, text, lang
        self.heads = text.labels(table.columns)
        self.texts = [[text.value(row[name], name, row) for name in table.columns] for row in table.rows]
        self._groups = [" ".join(text.value(row[name], name, row) for name in table.group) for row in table.rows]
        self._folded: list[str] | None = None

    def is_number(self, column: int) -> bool:
        """Whether a column is right-aligned."""
        return self.table.columns[column] in self.table.numeric

    def is_amount(self, column: int) -> bool:
        """Whether a column can be added up."""
        name = self.table.columns[column].rpartition(".")[2]
        return self.is_number(column) and (name in AMOUNT_FIELDS or self._has_sides(column))

    @property
    def main(self) -> int | None:
        """The column that matters most: the last amount."""
        amounts = [index for index in range(len(self.heads)) if self.is_amount(index)]
        return amounts[-1] if amounts else None

    @property
    def lead(self) -> int:
        """The column by which a person knows a row: the first with free text."""
        texts = [index for index in range(len(self.heads)) if not self.is_number(index)]
        wide = [index for index in texts if self._longest(index) > SHORT and not self._is_day(index)]
        return next(iter(wide or texts), 0)

    def weight(self, column: int) -> int:
        """How much of the spare width a column gets; 0 where it is never cut off."""
        longest = self._longest(column)
        return 0 if self.is_number(column) or longest <= SHORT or self._is_day(column) else min(longest, LONGEST_WEIGHT)

    def order(self, sorting: Sorting | None = None, wanted: str = "") -> list[int]:
        """Return the numbers of the rows that hold all wanted words, sorted."""
        words = wanted.casefold().split()
        if words and self._folded is None:
            rows = zip(self._groups, self.texts, strict=True)
            self._folded = ["\n".join([group, *row]).casefold() for group, row in rows]
        folded = self._folded or ()
        found = [at for at in range(len(self.texts)) if not words or all(word in folded[at] for word in words)]
        if sorting is None:
            return found
        keys = {at: self._key(at, sorting.column) for at in found}
        known = sorted(
            (at for at in found if keys[at] is not None), key=lambda at: keys[at], reverse=sorting.descending
        )
        return known + [at for at in found if keys[at] is None]

    def lines(self, order: Sequence[int]) -> list[int | dict[str, Any]]:
        """Return the rows in order; where groups are declared, each below its head with its own sums."""
        if not self.table.group:
            return list(order)
        groups: dict[str, list[int]] = {}
        for at in order:
            groups.setdefault(self._groups[at], []).append(at)
        lines: list[int | dict[str, Any]] = []
        for name, members in groups.items():
            lines.append({"group": name, "totals": self.totals(members)})
            lines += members
        return lines

    def totals(self, order: Iterable[int]) -> list[str]:
        """Return the sums of the amounts, by column; empty where rows of several currencies cannot be added."""
        rows = [self.table.rows[at] for at in order]
        currencies = {row[name] for row in rows for name in CURRENCY_FIELDS if row.get(name)}
        if len(currencies) > 1 or not rows:
            return [""] * len(self.heads)
        return [self._total(index, rows) if self.is_amount(index) else "" for index in range(len(self.heads))]

    def _total(self, column: int, rows: Sequence[Mapping[str, Any]]) -> str:
        name = self.table.columns[column]
        amounts = [amount for row in rows if (amount := _amount(row[name])) is not None]
        added = total(amounts) if amounts else Decimal(0)
        shown = self._text.amount(abs(added) if self._has_sides(column) else added)
        if not self._has_sides(column):
            return shown
        return f"{shown} {say('side_soll' if added >= 0 else 'side_haben').in_(self._lang)}"

    def csv(self, order: Iterable[int], head: Iterable[Sequence[str]] = ()) -> bytes:
        """Return the rows as a file: in German with semicolons and decimal commas, as a German spreadsheet opens it.

        `head` are lines over the columns, which say what the figures belong to.
        """
        is_german = self._lang == "de"
        file = io.StringIO()
        writer = csv.writer(file, delimiter=";" if is_german else ",", lineterminator="\r\n")
        writer.writerows([spreadsheet_cell(cell) for cell in line] for line in head)
        writer.writerow(self._file_heads())
        for at in order:
            writer.writerow(self._file_row(self.table.rows[at], self.texts[at]))
        return ("\ufeff" + file.getvalue()).encode("utf-8") if is_german else file.getvalue().encode("utf-8")

    def _file_heads(self) -> list[str]:
        heads = self._text.labels(self.table.group)
        for column, head in enumerate(self.heads):
            heads += [head, f"{head}: {say('table_side').in_(self._lang)}"] if self._has_sides(column) else [head]
        return heads

    def _file_row(self, row: Mapping[str, Any], texts: Sequence[str]) -> list[str]:
        cells = [spreadsheet_cell(self._text.value(row[name], name, row)) for name in self.table.group]
        for column, name in enumerate(self.table.columns):
            value = row[name]
            if self._has_sides(column):
                known = has_side(value)
                side = say(f"side_{value['sollHabenKennzeichen'].lower()}").in_(self._lang) if known else ""
                cells += [self._plain_number(value["betrag"], True) if known else "", side]
            elif isinstance(value, Decimal | int) and not isinstance(value, bool):
                cells.append(self._plain_number(value, self.is_amount(column)))
            else:
                cells.append(spreadsheet_cell(texts[column]))
        return cells

    def _plain_number(self, value: Any, is_amount: bool) -> str:
        exact = f"{with_cents(as_money(value)) if is_amount else Decimal(value):f}"
        return exact.replace(".", ",") if self._lang == "de" else exact

    def _key(self, at: int, column: int) -> Any:
        value = self.table.rows[at][self.table.columns[column]]
        if value is None or value == "":
            return None
        if self.is_number(column):
            return _amount(value)
        return str(value) if self._is_day(column) else self.texts[at][column].casefold()

    def _has_sides(self, column: int) -> bool:
        return any(has_side(row[self.table.columns[column]]) for row in self.table.rows[:50])

    def _is_day(self, column: int) -> bool:
        """Whether the texts are days or times: they differ from the values, which sort by themselves."""
        name = self.table.columns[column]
        values = [row[name] for row in self.table.rows[:50] if isinstance(row[name], str) and row[name]]
        return bool(values) and all(value[:4].isdigit() and value[4:5] == "-" for value in values)

    def _longest(self, column: int) -> int:
        return max((len(row[column]) for row in self.texts[:500]), default=0)


def spreadsheet_cell(text: str) -> str:
    """A text for a cell of a file: nothing in it is run, and a number that is a name keeps all its digits."""
    shown = "" if text == EMPTY else text
    if _NAME_OF_DIGITS.fullmatch(shown):
        return f'="{shown}"'
    return f"'{shown}" if shown.startswith(FORMULA) else shown


_NAME_OF_DIGITS = re.compile("[0-9]{12,}|0[0-9]+")
"""Spreadsheets round a long number, and drop the zeros in front, unless they are told that it is a text."""


def _amount(value: Any) -> Decimal | None:
    """The number of a cell; a balance in credit is below zero."""
    if has_side(value):
        amount = _amount(value["betrag"])
        return amount.copy_negate() if amount is not None and value["sollHabenKennzeichen"] == "HABEN" else amount
    try:
        return None if value is None or isinstance(value, bool | Mapping) else as_money(value)
    except ValueError:
        return None


TOOLS_FROM = 4
"""Rows from which a filter and a file are worth their place."""


class DataTable(Element, component="data_table.js"):
    """The rows in the browser; only those in view are drawn."""

    def __init__(self, model: TableModel, caption: str, total_word: str, links: Sequence[str] | None = None) -> None:
        super().__init__()
        weights = [model.weight(column) for column in range(len(model.heads))]
        spare = sum(weights)
        self._props["columns"] = [
            {
                "label": head,
                "number": model.is_number(column),
                "main": column == model.main,
                "lead": column == model.lead,
                "width": f"{100 * weights[column] // spare}%" if weights[column] else "",
            }
            for column, head in enumerate(model.heads)
        ]
        self._props["rows"] = model.texts
        self._props["links"] = list(links) if links is not None else None
        self._props["lead"] = model.lead
        self._props["caption"], self._props["total_word"] = caption, total_word

    def show(self, lines: list[int | dict[str, Any]], totals: list[str], sorting: Sorting | None) -> None:
        """Show these rows in this order; the rows themselves are not sent again."""
        is_first = "shown" not in self._props
        sorted_by = {"column": sorting.column, "descending": sorting.descending} if sorting else {"column": -1}
        shown = {"lines": lines, "totals": totals, "sorted": sorted_by}
        self._props["shown"] = shown
        if not is_first:
            self.run_method("show", shown)


class TableView:
    """A table with its tools."""

    def __init__(
        self,
        table: Table,
        text: ResultText,
        localize: Localizer,
        caption: str,
        links: Sequence[str] | None = None,
        label: FigureLabel | None = None,
    ) -> None:
        """`label` says what the figures belong to; it names the table and its file."""
        self._model = TableModel(table, text, localize.lang)
        self._localize, self._title, self._label = localize, caption, label or FigureLabel()
        self._caption = self._label.over(caption)
        self._sorting: Sorting | None = None
        self._wanted = ""
        self._order: list[int] = []
        with box("table-view"):
            if len(table.rows) >= TOOLS_FROM:
                self._build_tools()
            else:
                self._count = TextWidget("span", "", "quiet")
            self._data = DataTable(self._model, self._caption, localize("table_total"), links)
            self._data.on("sort", self._on_sort)
        self._show()

    def _build_tools(self) -> None:
        localize = self._localize
        with flex_row("table-tools"):
            wanted = ui.input(placeholder=localize("table_filter"), on_change=self._on_filter)
            wanted.props("outlined dense clearable debounce=200").classes("table-filter")
            wanted.props["aria-label"] = localize("table_filter_of", caption=self._caption)
            self._count = TextWidget("span", "", "quiet").props('role="status" aria-live="polite"')
            button(localize("table_csv"), self._download, "small")

    def _on_sort(self, event: GenericEventArguments) -> None:
        column, now = int(event.args), self._sorting
        self._sorting = Sorting(column, now is not None and now.column == column and not now.descending)
        self._show()

    def _on_filter(self, event: ValueChangeEventArguments[Any]) -> None:
        self._wanted = str(event.value or "")
        self._show()

    def _show(self) -> None:
        model, localize = self._model, self._localize
        self._order = model.order(self._sorting, self._wanted)
        self._data.show(model.lines(self._order), model.totals(self._order), self._sorting)
        count = len(model.texts)
        self._count.text = (
            localize("table_rows", count=count)
            if len(self._order) == count
            else localize("table_rows_of", shown=len(self._order), count=count)
        )

    def _download(self) -> None:
        file = self._model.csv(self._order, self._label.head(self._title))
        ui.download.content(file, f"{self._label.file_name(self._title)}.csv", "text/csv")
