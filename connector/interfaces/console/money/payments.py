"""Payments by how far they have come, and one with everything that is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.core.service_facts import payment_states
from connector.interfaces.console.figures.labels import FigureLabel
from connector.interfaces.console.figures.last_answers import LastAnswers
from connector.interfaces.console.figures.row_details import row_facts, show_facts_to_copy
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import TextWidget, empty_note, flex_row, heading, link
from connector.interfaces.console.money.bank_rows import BankRows, show_bank_rows
from connector.interfaces.console.money.row_links import account_names, fields_that_refer, runs_of_payments
from connector.interfaces.result_rows import declared_rows

STAGES = ("in_flight", "settled", "failed")


def stage_of(status: Any) -> str:
    """Return where a payment stands: in flight, settled, or come to nothing."""
    states = payment_states()
    if status not in states.final:
        return "in_flight"
    return "settled" if status in states.succeeded else "failed"


def show_payments(page: Page, rows: BankRows, label: FigureLabel) -> None:
    """Show the payments that are not final yet, then the others."""
    stages = [stage_of(rows.text.parts.value("state", row)) for row in rows.table.sources]
    for name in STAGES:
        places = [at for at, stage in enumerate(stages) if stage == name]
        if places or name == STAGES[0]:
            title = page.localize(f"money_{name}")
            heading(2, title)
            show_bank_rows(page, rows.only(places), label, title)


async def kept_payment(page: Page, id: str) -> Mapping[str, Any] | None:
    """Return a payment as the payments were read last; None where it was not among them."""
    action = page.console.connector.action_for("payment_list")
    parts = page.console.connector.library.row_parts(action.resource)
    for answer in await LastAnswers(page, action).kept():
        for row in declared_rows(action, answer.output):
            if str(parts.value("id", row)) == id:
                return row
    return None


async def load_payment(page: Page, row: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    """Return what bank accounts are called, and the run that made the payment; nothing is sent."""
    parts = page.console.connector.library.row_parts(page.console.connector.action_for("payment").resource)
    return await account_names(page), await runs_of_payments(page, {str(parts.value("id", row))})


def show_payment(page: Page, row: Mapping[str, Any], known: tuple[dict[str, str], dict[str, str]]) -> None:
    """Show one payment: what it is, and the run and the account that it leads to."""
    localize, connector = page.localize, page.console.connector
    if not row:
        empty_note(localize("result_empty"))
        return
    action, (accounts, runs) = connector.action_for("payment"), known
    text = localize.result(connector.library, action)
    fields = fields_that_refer(text, connector.action_for("account_list").resource)
    id, account = str(text.parts.value("id", row)), text.parts.value("account", row)
    amount, currency = text.parts.amount(row), text.parts.value("currency", row)
    title = [str(text.parts.value("counterparty", row) or id)]
    if amount is not None:
        title.append(f"{localize.amount(amount)} {currency or ''}".strip())
    heading(2, " · ".join(title), "figure-title")
    TextWidget("p", text.value(text.parts.value("state", row), text.parts.path("state") or ""), "payment-state")
    with flex_row("row-links"):
        if id in runs:
            link(localize("row_run"), page.url(f"runs/{runs[id]}"))
        if account:
            link(localize("row_account"), page.url(f"money/accounts/{account}"))
    show_facts_to_copy(page, row_facts(text, row, dict.fromkeys(fields, accounts)))
