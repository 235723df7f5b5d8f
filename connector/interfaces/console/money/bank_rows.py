"""Bank rows as on a statement: newest first, whom each is with, what it is for, the payment and run behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from connector.core.manifest.model import Action
from connector.interfaces.console.figures.labels import FigureLabel
from connector.interfaces.console.figures.row_details import RowLink
from connector.interfaces.console.figures.table import TableView
from connector.interfaces.console.figures.table_model import TableModel
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import empty_note
from connector.interfaces.console.money.row_links import account_names, fields_that_refer, runs_of_payments
from connector.interfaces.result_rows import Table, newest_first, table_of
from connector.interfaces.result_text import ResultText

PAYMENT, RUN = "@payment", "@run"
"""Columns that lead to what is behind a row; they stand on screens only."""
PLACES = {PAYMENT: "money/payments/", RUN: "runs/"}
LATEST = 10
"""Rows that are shown as the latest, and all others of their last day."""


@dataclass(frozen=True, slots=True)
class BankRows:
    """The transactions or payments of an answer, and what is known beside it of those things that they name."""

    table: Table
    text: ResultText
    payments: tuple[str, ...]
    """The payment of each row; empty where it has none."""
    are_payments: bool = False
    """Whether the rows themselves are payments."""
    runs: dict[str, str] = field(default_factory=dict)
    """The run that made a payment, by the payment's id."""
    accounts: dict[str, str] = field(default_factory=dict)
    """What bank accounts are called, by id."""

    def only(self, places: Sequence[int]) -> BankRows:
        """Return the rows of these places, in this order."""
        return replace(self, table=self.table.ordered(places), payments=tuple(self.payments[at] for at in places))

    def latest(self) -> BankRows:
        """Return the newest rows by their day."""
        days = [str(self.text.parts.value("day", row) or "") for row in self.table.sources]
        oldest = sorted(days, reverse=True)[:LATEST][-1] if days else ""
        return self.only([at for at, day in enumerate(days) if day >= oldest])

    def targets(self, at: int) -> dict[str, str]:
        """Return the payment and the run behind a row, by column; none where none is known."""
        payment = self.payments[at]
        found = {PAYMENT: payment, RUN: self.runs.get(payment, "")}
        return {name: id for name, id in found.items() if id}


async def load_bank_rows(page: Page, action: Action, output: Any) -> BankRows:
    """Sort the rows, and find the runs behind their payments; nothing is sent."""
    connector = page.console.connector
    text = page.localize.result(connector.library, action)
    table = newest_first(table_of(action, output, text), text.parts)
    payment = connector.action_for("payment_list").resource
    are_payments = action.resource == payment
    name = text.parts.path("id") if are_payments else next(iter(fields_that_refer(text, payment)), None)
    payments = tuple(str(row.get(name) or "") if name else "" for row in table.sources)
    runs = await runs_of_payments(page, {id for id in payments if id})
    return BankRows(table, text, payments, are_payments, runs, await account_names(page))


def show_bank_rows(page: Page, rows: BankRows, label: FigureLabel, caption: str) -> None:
    """Build the table; a payment is opened by its name, what is behind a transaction by a column of its own."""
    if not rows.table.rows:
        empty_note(page.localize("result_empty"))
        return
    words = {PAYMENT: page.localize("row_payment"), RUN: page.localize("row_run")}
    targets = [rows.targets(at) for at in range(len(rows.table.rows))]
    urls = [{name: page.url(f"{PLACES[name]}{id}") for name, id in row.items()} for row in targets]
    row_links = [[RowLink(words[name], url) for name, url in row.items()] for row in urls]
    table, name_of_payment = rows.table, rows.text.parts.path("counterparty")
    if rows.are_payments and name_of_payment:
        urls = [{name_of_payment if name == PAYMENT else name: url for name, url in row.items()} for row in urls]
    for name, word in words.items():
        if any(name in row for row in urls):
            table = table.with_column(name, [word if name in row else None for row in urls])
    accounts = fields_that_refer(rows.text, page.console.connector.action_for("account_list").resource)
    names = {name: rows.accounts for name in accounts if rows.accounts}
    model = TableModel(table, rows.text, names=names, screen_only=(PAYMENT, RUN))
    TableView(page, model, caption, label, cell_links=urls, row_links=row_links)
