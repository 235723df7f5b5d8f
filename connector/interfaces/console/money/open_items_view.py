"""Open items in two sides: who owes you and whom you owe, each by age, and the items of the age that is pressed."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from nicegui import ui

from connector.core.manifest.model import Action
from connector.interfaces.console.figures.labels import FigureLabel
from connector.interfaces.console.figures.open_items import Side, cutoff_of, sides_of
from connector.interfaces.console.figures.table import TableView
from connector.interfaces.console.figures.table_model import TableModel
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import TextWidget, box, button, empty_note, heading
from connector.interfaces.result_rows import table_of
from connector.interfaces.result_text import ResultText

NOTES = {"debtors": "money_debtors_owe", "creditors": "money_creditors_owed"}


def show_open_items(page: Page, action: Action, output: Any, label: FigureLabel, read_on: date) -> None:
    """Build both sides, one below the other; ages count to the cut-off date of the answer, else to `read_on`."""
    library = page.console.connector.library
    text = page.localize.result(library, action)
    if label.sums:
        TextWidget("p", label.sum_text, "figure-sums")
    sides = sides_of(table_of(action, output, text), text.parts, cutoff_of(action, output, library) or read_on)
    with box("sides"):
        views = [SideView(page, side, text, label) for side in sides]
    for view in views:
        view.show_items()
    if not sides:
        empty_note(page.localize("result_empty"))


class SideView:
    """One side: its ages with what they come to, and below the items of the age that is chosen."""

    def __init__(self, page: Page, side: Side, text: ResultText, label: FigureLabel) -> None:
        self._page, self._side, self._text, self._label = page, side, text, label
        localize = page.localize
        self._title = localize(f"money_{side.name}")
        self._buttons: dict[int | None, ui.button] = {}
        with box("side", "section") as section:
            section.props["aria-label"] = self._title
            heading(2, self._title)
            TextWidget("p", localize(NOTES[side.name]), "quiet")
            self._build_ages()

    def show_items(self) -> None:
        """Show the items, at first of all ages, in the current container."""
        self._place = box("age-items")
        self._choose(None)

    def _build_ages(self) -> None:
        localize, side = self._page.localize, self._side
        currency = self._text.parts.value("currency", side.table.sources[0]) or ""
        most = max((abs(age.amount) for age in side.by_age), default=0)
        with box("ages", "table") as table:
            table.props["aria-label"] = f"{self._title}: {localize('money_ages')}"
            with ui.element("thead"), ui.element("tr"):
                for name, tone in (("money_age_head", ""), ("money_count", "number"), ("money_amount", "number")):
                    TextWidget("th", localize(name, currency=currency), tone).props('scope="col"')
                ui.element("td")
            with ui.element("tbody"):
                for age in side.by_age:
                    share = float(abs(age.amount) / most * 100) if most else 0.0
                    self._build_age(localize(f"age_{age.index}"), age.index, age.count, age.amount, share)
                self._build_age(localize("money_all_ages"), None, len(side.table.rows), side.total)

    def _build_age(self, name: str, index: int | None, count: int, amount: Decimal, share: float = 0.0) -> None:
        """Build one row of the ages; its name is the button that leaves only its items."""
        localize = self._page.localize
        with ui.element("tr").classes("all" if index is None else ""):
            with ui.element("th").props('scope="row"'):
                made = button(name, lambda: self._choose(index), "small plain")
                made.props["aria-label"] = localize("money_items_of", side=self._title, age=name)
                self._buttons[index] = made
            TextWidget("td", localize.count(count), "number")
            TextWidget("td", localize.amount(amount), "number")
            with ui.element("td").classes("bar-cell"):
                if share:
                    box("bar").style(f"width: {share:.1f}%")

    def _choose(self, index: int | None) -> None:
        """Show the items of one age, or all."""
        localize = self._page.localize
        for other, made in self._buttons.items():
            made.props["aria-pressed"] = "true" if other == index else "false"
        self._place.clear()
        with self._place:
            found = self._side.of_age(index)
            caption = f"{localize('money_open_items')} {self._title}"
            if index is not None:
                caption += f" {localize(f'age_{index}')}"
            heading(2, caption)
            if found.rows:
                TableView(self._page, TableModel(found, self._text), caption, self._label)
            else:
                empty_note(localize("result_empty"))
