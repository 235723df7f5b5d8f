"""The trial balance as a bookkeeper reads it: by class, sorted by number, with a sum for each class."""

from __future__ import annotations

from typing import Any

from connector.core.manifest.model import Action
from connector.interfaces.console.figures.labels import FigureLabel
from connector.interfaces.console.figures.result_view import show_chart
from connector.interfaces.console.figures.table import TableView
from connector.interfaces.console.figures.table_model import RowGroup, TableModel
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import empty_note, heading
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.console.money.account_classes import CREDITORS, DEBTORS, OTHERS, classes_of
from connector.interfaces.result_rows import table_of
from connector.interfaces.result_text import ResultText

NAMES = {DEBTORS: "money_debtors", CREDITORS: "money_creditors", OTHERS: "money_other_accounts"}


def by_class(action: Action, output: Any, text: ResultText, localize: Localizer) -> TableModel:
    """Return the trial balance by class."""
    table = table_of(action, output, text)
    classes = classes_of([str(text.parts.value("number", row) or "") for row in table.sources])
    order = sorted(range(len(classes)), key=classes.__getitem__)
    groups = [RowGroup(rank, _name(rank, localize)) for rank, _ in (classes[at] for at in order)]
    return TableModel(table.ordered(order), text, groups)


def _name(rank: int, localize: Localizer) -> str:
    return localize(NAMES[rank]) if rank in NAMES else localize("money_class", number=rank)


def show_trial_balance(page: Page, action: Action, output: Any, label: FigureLabel) -> None:
    """Build the table, and the largest balances below it."""
    localize = page.localize
    text = localize.result(page.console.connector.library, action)
    model = by_class(action, output, text, localize)
    if not model.texts:
        empty_note(localize("result_empty"))
        return
    TableView(page, model, localize("money_trial_balance"), label)
    heading(2, localize("money_largest"))
    show_chart(page, action, output, text)
