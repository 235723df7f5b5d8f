"""The one view of a table: heads by which it sorts, a filter, sums, and a file for a spreadsheet."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from connector.interfaces.console.figures import FigureLabel
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.console.result_data import Table
from connector.interfaces.console.table_model import Sorting, TableModel
from connector.interfaces.console.widgets import Text, box, button, flex_row
from connector.interfaces.result_text import ResultText

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
                self._count = Text("span", "", "quiet")
            self._data = DataTable(self._model, self._caption, localize("table_total"), links)
            self._data.on("sort", self._on_sort)
        self._show()

    def _build_tools(self) -> None:
        localize = self._localize
        with flex_row("table-tools"):
            wanted = ui.input(placeholder=localize("table_filter"), on_change=self._on_filter)
            wanted.props("outlined dense clearable debounce=200").classes("table-filter")
            wanted.props["aria-label"] = localize("table_filter_of", caption=self._caption)
            self._count = Text("span", "", "quiet").props('role="status" aria-live="polite"')
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
