"""A table on a page: its filter, its files, and the details of the row that is pressed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.events import GenericEventArguments, ValueChangeEventArguments

from connector.interfaces.console.figures.labels import FigureLabel
from connector.interfaces.console.figures.row_details import RowLink, show_row
from connector.interfaces.console.figures.table_files import TableFile
from connector.interfaces.console.figures.table_model import Sorting, TableModel
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import TextWidget, box, button, flex_row

TOOLS_FROM = 4
"""Rows from which a filter and a file are worth their place."""
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CellLinks = Sequence[Mapping[str, str]]
"""Where the cells of each row lead to, by column."""


class DataTable(Element, component="data_table.js"):
    """The rows in the browser; only those in view are drawn."""

    def __init__(self, model: TableModel, caption: str, words: Mapping[str, str], links: CellLinks = ()) -> None:
        super().__init__()
        self._model = model
        weights = [model.weight(column) for column in model.shown]
        spare = sum(weights)
        self._props["columns"] = [
            {
                "label": model.heads[column],
                "number": model.is_number(column),
                "main": column == model.main,
                "lead": column == model.lead,
                "width": f"{100 * weight // spare}%" if weight else "",
            }
            for column, weight in zip(model.shown, weights, strict=True)
        ]
        places = {model.table.columns[column]: place for place, column in enumerate(model.shown)}
        self._props["rows"] = model.screen_texts()
        self._props["links"] = [
            {str(places[name]): target for name, target in row.items() if name in places and target} for row in links
        ]
        self._props["lead"] = model.shown.index(model.lead)
        self._props["caption"], self._props["words"], self._props["currency"] = caption, dict(words), model.currency

    def show(self, order: Sequence[int], sorting: Sorting | None) -> None:
        """Show these rows in this order; the rows themselves are not sent again."""
        model, is_first = self._model, "shown" not in self._props
        sorted_by = {"column": -1}
        if sorting is not None:
            sorted_by = {"column": model.shown.index(sorting.column), "descending": sorting.descending}
        lines: list[int | dict[str, Any]] = [
            line if isinstance(line, int) else {**line, "totals": self._visible(line["totals"])}
            for line in model.lines(order)
        ]
        shown = {"lines": lines, "totals": self._visible(model.totals(order)), "sorted": sorted_by}
        self._props["shown"] = shown
        if not is_first:
            self.run_method("show", shown)

    def _visible(self, cells: Sequence[str]) -> list[str]:
        return [cells[column] for column in self._model.shown]


class TableView:
    """A table with its tools."""

    def __init__(
        self,
        page: Page,
        model: TableModel,
        caption: str,
        label: FigureLabel | None = None,
        *,
        cell_links: CellLinks = (),
        row_links: Sequence[Sequence[RowLink]] = (),
        total_word: str | None = None,
    ) -> None:
        """`label` says what the figures belong to; it names the table and its files.

        `row_links` are what the details of each row lead to.
        """
        self._page, self._model = page, model
        self._localize, self._title, self._label = page.localize, caption, label or FigureLabel()
        self._caption, self._row_links = self._label.over(caption), row_links
        self._sorting: Sorting | None = None
        self._wanted = ""
        self._order: list[int] = []
        with box("table-view"):
            if len(model.texts) >= TOOLS_FROM:
                self._build_tools()
            else:
                self._count = TextWidget("span", "", "quiet")
            words = {"total": total_word or self._total_word(), "details": self._localize("table_details")}
            self._data = DataTable(model, self._caption, words, cell_links)
            self._data.on("sort", self._on_sort)
            self._data.on("open", self._on_open)
        self._show()

    def _total_word(self) -> str:
        localize, currency = self._localize, self._model.currency
        return localize("table_total") if currency is None else localize("table_total_in", currency=currency)

    def _build_tools(self) -> None:
        localize = self._localize
        with flex_row("table-tools"):
            wanted = ui.input(placeholder=localize("table_filter"), on_change=self._on_filter)
            wanted.props("outlined dense clearable debounce=200").classes("table-filter")
            wanted.props["aria-label"] = localize("table_filter_of", caption=self._caption)
            self._count = TextWidget("span", "", "quiet").props('role="status" aria-live="polite"')
            button(localize("table_xlsx"), self._download_workbook, "small")
            button(localize("table_csv"), self._download_text, "small")

    def _on_sort(self, event: GenericEventArguments) -> None:
        column, now = self._model.shown[int(event.args)], self._sorting
        self._sorting = Sorting(column, now is not None and now.column == column and not now.descending)
        self._show()

    def _on_filter(self, event: ValueChangeEventArguments[Any]) -> None:
        self._wanted = str(event.value or "")
        self._show()

    def _on_open(self, event: GenericEventArguments) -> None:
        at = int(event.args)
        model = self._model
        links = self._row_links[at] if self._row_links else ()
        show_row(self._page, model.text, model.table.sources[at], model.texts[at][model.lead], links, model.names)

    def _show(self) -> None:
        model, localize = self._model, self._localize
        self._order = model.order(self._sorting, self._wanted)
        self._data.show(self._order, self._sorting)
        count, shown = localize.count(len(model.texts)), localize.count(len(self._order))
        text = localize("table_rows", count=count)
        if shown != count:
            text = localize("table_rows_of", shown=shown, count=count)
        currency = model.currency if model.main is not None else None
        self._count.text = text if currency is None else f"{text} · {localize('table_currency', currency=currency)}"

    def _download_text(self) -> None:
        file = TableFile(self._model, self._localize.lang).csv(self._order, self._label.head(self._title))
        ui.download.content(file, f"{self._label.file_name(self._title)}.csv", "text/csv")

    def _download_workbook(self) -> None:
        head = self._label.head(self._title)
        file = TableFile(self._model, self._localize.lang).xlsx(self._order, head, self._title)
        ui.download.content(file, f"{self._label.file_name(self._title)}.xlsx", XLSX)
