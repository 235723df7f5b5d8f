"""The pages about money: accounts and their rows, open items by side, payments, and the trial balance by class.

Opening one asks nobody: it shows the last answer that is kept, with its age.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import background_tasks, ui
from nicegui.element import Element

from connector.core.errors import KontorError
from connector.core.manifest.model import Action
from connector.core.messages import say
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.figures.answer_panel import AnswerPanel, age_text
from connector.interfaces.console.figures.labels import FigureLabel
from connector.interfaces.console.figures.last_answers import LastAnswers
from connector.interfaces.console.figures.result_view import show_chart
from connector.interfaces.console.figures.row_details import row_facts, show_facts_to_copy
from connector.interfaces.console.figures.table import TableView
from connector.interfaces.console.figures.table_model import TableModel
from connector.interfaces.console.frame.page_frame import Page, page_at, page_frame
from connector.interfaces.console.frame.widgets import TextWidget, box, empty_note, heading, link
from connector.interfaces.console.money.bank_rows import BankRows, load_bank_rows, show_bank_rows
from connector.interfaces.console.money.open_items_view import show_open_items
from connector.interfaces.console.money.payments import kept_payment, load_payment, show_payment, show_payments
from connector.interfaces.console.money.row_links import (
    account_input,
    account_names,
    ids_of_accounts,
    keep_account_names,
)
from connector.interfaces.console.money.trial_balance import show_trial_balance
from connector.interfaces.result_rows import declared_rows, table_of
from connector.store.runs.forms import KeptAnswer

PLACES = {
    "accounts": "money",
    "open_items": "money/open-items",
    "payments": "money/payments",
    "trial_balance": "money/trial-balance",
}


@page_at("/money")
def accounts_page() -> None:
    """Show the bank accounts with their balances, and the latest rows that are kept."""
    with page_frame("money") as page:
        _tabs(page, "accounts")
        action = page.console.connector.action_for("account_list")
        transactions = page.console.connector.action_for("transaction_list")

        def show(kept: KeptAnswer, label: FigureLabel, _: Any) -> None:
            text = page.localize.result(page.console.connector.library, action)
            table = table_of(action, kept.output, text)
            if not table.rows:
                empty_note(page.localize("result_empty"))
                return
            model = TableModel(table, text)
            lead = table.columns[model.lead]
            ids = ids_of_accounts(page.console.connector, table.sources)
            links = [{lead: page.url(f"money/accounts/{id}")} if id else {} for id in ids]
            TableView(page, model, page.localize("money_accounts"), label, cell_links=links)

        AnswerPanel(page, action, show, PLACES["accounts"]).start()
        background_tasks.create(_show_latest(page, transactions, box("answer")), name="latest transactions")


async def _show_latest(page: Page, action: Action, place: Element) -> None:
    """Show the newest rows of the transactions that this person looked at last, if they are kept."""
    answers = LastAnswers(page, action)
    try:
        kept = await answers.latest(page.console.selections.get(action.id, {}))
    except NoCredential:
        return
    if kept is not None:
        label, rows = await answers.label(kept), await load_bank_rows(page, action, kept.output)
        with place:
            heading(2, label.over(page.localize("money_latest")))
            TextWidget("p", age_text(page, kept), "quiet")
            show_bank_rows(page, rows.latest(), label, page.localize("money_latest"))


@page_at("/money/accounts/{id}")
async def account_page(id: str) -> None:
    """Show one bank account: what it is, and its rows."""
    with page_frame("money", say("money_account")) as page:
        _tabs(page, "accounts")
        action = page.console.connector.action_for("transaction_list")

        def show(kept: KeptAnswer, label: FigureLabel, rows: BankRows) -> None:
            show_chart(page, action, kept.output, rows.text)
            show_bank_rows(page, rows, label, page.localize("money_account"))

        name = await _show_account(page, id)
        field = account_input(page.console.connector)[0].name
        names = {field: name} if name != id else {}
        load = partial(_bank_rows, page, action)
        AnswerPanel(page, action, show, f"money/accounts/{id}", load=load, fixed={field: id}, names=names).start()


async def _bank_rows(page: Page, action: Action, kept: KeptAnswer) -> BankRows:
    return await load_bank_rows(page, action, kept.output)


async def _show_account(page: Page, id: str) -> str:
    """Show what the accounts that were read last say of one; return what it is called."""
    connector, localize = page.console.connector, page.localize
    action = connector.action_for("account_list")
    try:
        kept, names = await LastAnswers(page, action).kept(), await account_names(page)
    except NoCredential:
        return id
    name = names.get(id, id)
    heading(2, name)
    text = localize.result(connector.library, action)
    for answer in kept:
        rows = declared_rows(action, answer.output)
        row = next(
            (row for row, found in zip(rows, ids_of_accounts(connector, rows), strict=True) if found == id), None
        )
        if row is not None:
            with box("account-facts"):
                TextWidget("p", text.line(row, action.raw["output"]["columns"]), "quiet")
                with ui.expansion(localize("table_details")).props("dense"):
                    show_facts_to_copy(page, row_facts(text, row))
            break
    return name


@page_at("/money/open-items")
def open_items_page() -> None:
    """Show the open items in two sides by age, and those of one age when it is pressed."""
    with page_frame("money", say("money_open_items")) as page:
        _tabs(page, "open_items")
        action = page.console.connector.action_for("open_items")

        def show(kept: KeptAnswer, label: FigureLabel, _: Any) -> None:
            show_open_items(page, action, kept.output, label, kept.kept_at.date())

        AnswerPanel(page, action, show, PLACES["open_items"]).start()


@page_at("/money/payments")
def payments_page() -> None:
    """Show the payments that are not final yet, then the others."""
    with page_frame("money", say("money_payments")) as page:
        _tabs(page, "payments")
        action = page.console.connector.action_for("payment_list")

        def show(kept: KeptAnswer, label: FigureLabel, rows: BankRows) -> None:
            show_payments(page, rows, label)

        load = partial(_bank_rows, page, action)
        names = partial(keep_account_names, page)
        AnswerPanel(page, action, show, PLACES["payments"], load=load, after_read=names).start()


@page_at("/money/payments/{id}")
async def payment_page(id: str) -> None:
    """Show one payment, as it was read last by itself or among all."""
    with page_frame("money", say("money_payment")) as page:
        _tabs(page, "payments")
        action = page.console.connector.action_for("payment")
        field = next(one.name for one in action.inputs if one.required)

        async def load(kept: KeptAnswer) -> Any:
            return await load_payment(page, kept.output)

        def show(kept: KeptAnswer, label: FigureLabel, known: Any) -> None:
            listed.clear()
            show_payment(page, kept.output, known)

        panel = AnswerPanel(page, action, show, f"money/payments/{id}", load=load, fixed={field: id}, names={field: id})
        listed = box("answer-body")
        panel.start()
        await _show_listed(page, action, id, field, listed)


async def _show_listed(page: Page, action: Action, id: str, field: str, place: Element) -> None:
    """Show a payment that was not read by itself as it stood among all."""
    try:
        if await LastAnswers(page, action).latest({field: id}) is not None:
            return
        row = await kept_payment(page, id)
    except (KontorError, NoCredential):
        return
    if row is not None:
        known = await load_payment(page, row)
        with place:
            TextWidget("p", page.localize("money_kept_here"), "quiet")
            show_payment(page, row, known)


@page_at("/money/trial-balance")
def trial_balance_page() -> None:
    """Show the trial balance of a fiscal year by class."""
    with page_frame("money", say("money_trial_balance")) as page:
        _tabs(page, "trial_balance")
        action = page.console.connector.action_for("trial_balance")

        def show(kept: KeptAnswer, label: FigureLabel, _: Any) -> None:
            show_trial_balance(page, action, kept.output, label)

        AnswerPanel(page, action, show, PLACES["trial_balance"]).start()


def _tabs(page: Page, chosen: str) -> None:
    with box("money-tabs", "nav") as tabs:
        tabs.props["aria-label"] = page.localize("place_money")
        for name, place in PLACES.items():
            item = link(page.localize(f"money_{name}"), page.url(place), "place")
            if name == chosen:
                item.props["aria-current"] = "page"
