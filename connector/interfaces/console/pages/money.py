"""The pages about money: accounts, open items by age, payments in flight and the trial balance.

Opening one asks nobody: it shows the last answer that is kept, with its age.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import background_tasks, ui
from nicegui.element import Element

from connector.core.manifest.model import Action
from connector.core.messages import say
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.figures import charts
from connector.interfaces.console.figures.answer_panel import AnswerPanel, age_text
from connector.interfaces.console.figures.labels import FigureLabel
from connector.interfaces.console.figures.last_answers import LastAnswers
from connector.interfaces.console.figures.money_data import (
    STAGES,
    account_input,
    ages_of,
    by_age,
    cutoff_of,
    day_column,
    last_days,
    stage_of,
    with_rows,
)
from connector.interfaces.console.figures.result_data import Table, chart_of, table_of
from connector.interfaces.console.figures.table import TableView
from connector.interfaces.console.frame.page_frame import Page, page_at, page_frame
from connector.interfaces.console.frame.widgets import TextWidget, box, button, empty_note, flex_row, heading, link
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
        accounts = page.console.connector.action_for("account_list")
        transactions = page.console.connector.action_for("transaction_list")

        def show(kept: KeptAnswer, label: FigureLabel) -> None:
            found, lookup = kept.output.get("items", []), account_input(page.console.connector)[1]
            ids = [entry.value if (entry := lookup.options.entry(row)) is not None else "" for row in found]
            links = [page.url(f"money/accounts/{id}") for id in ids]
            _table(page, accounts, table_of(accounts, kept.output), label, links, page.localize("money_accounts"))

        AnswerPanel(page, accounts, show, PLACES["accounts"]).start()
        background_tasks.create(_show_latest(page, transactions, box("answer")), name="latest transactions")


async def _show_latest(page: Page, action: Action, place: Element) -> None:
    """Show the newest rows of the transactions that this person looked at last, if they are kept."""
    kept = await _kept(page, action)
    if kept is not None:
        label = await LastAnswers(page, action).label(kept)
        with place:
            heading(2, label.over(page.localize("money_latest")))
            TextWidget("p", age_text(page, kept), "quiet")
            rows = table_of(action, kept.output)
            newest = with_rows(rows, last_days(rows, day_column(action, page.console.connector.library)))
            _table(page, action, newest, label, caption=page.localize("money_latest"))


@page_at("/money/accounts/{id}")
async def account_page(id: str) -> None:
    """Show the transactions of one bank account."""
    with page_frame("money", say("money_account")) as page:
        _tabs(page, "accounts")
        action = page.console.connector.action_for("transaction_list")

        def show(kept: KeptAnswer, label: FigureLabel) -> None:
            _chart(page, action, kept)
            _table(page, action, table_of(action, kept.output), label, caption=page.localize("money_account"))

        name = await _account_name(page, id)
        heading(2, name)
        field = account_input(page.console.connector)[0].name
        names = {field: name} if name != id else {}
        AnswerPanel(page, action, show, f"money/accounts/{id}", {field: id}, names).start()


@page_at("/money/open-items")
def open_items_page() -> None:
    """Show the open items by age, and those of one age when it is pressed."""
    with page_frame("money", say("money_open_items")) as page:
        _tabs(page, "open_items")
        action = page.console.connector.action_for("open_items")
        show = partial(_show_ages, page, action)
        AnswerPanel(page, action, show, PLACES["open_items"]).start()


@page_at("/money/payments")
def payments_page() -> None:
    """Show the payments that are not final yet, then the others."""
    with page_frame("money", say("money_payments")) as page:
        _tabs(page, "payments")
        action = page.console.connector.action_for("payment_list")

        def show(kept: KeptAnswer, label: FigureLabel) -> None:
            table = table_of(action, kept.output)
            stages = [stage_of(row) for row in kept.output.get("items", [])]
            for name in STAGES:
                found = with_rows(table, [stage == name for stage in stages])
                if found.rows or name == STAGES[0]:
                    heading(2, page.localize(f"money_{name}"))
                    _table(page, action, found, label, caption=page.localize(f"money_{name}"))

        AnswerPanel(page, action, show, PLACES["payments"]).start()


@page_at("/money/trial-balance")
def trial_balance_page() -> None:
    """Show the trial balance of a fiscal year."""
    with page_frame("money", say("money_trial_balance")) as page:
        _tabs(page, "trial_balance")
        action = page.console.connector.action_for("trial_balance")

        def show(kept: KeptAnswer, label: FigureLabel) -> None:
            _table(page, action, table_of(action, kept.output), label, caption=page.localize("money_trial_balance"))
            heading(2, page.localize("money_largest"))
            _chart(page, action, kept)

        AnswerPanel(page, action, show, PLACES["trial_balance"]).start()


def _tabs(page: Page, chosen: str) -> None:
    with box("money-tabs", "nav") as tabs:
        tabs.props["aria-label"] = page.localize("place_money")
        for name, place in PLACES.items():
            item = link(page.localize(f"money_{name}"), page.url(place), "place")
            if name == chosen:
                item.props["aria-current"] = "page"


def _table(
    page: Page,
    action: Action,
    table: Table,
    label: FigureLabel,
    links: Sequence[str] | None = None,
    caption: str | None = None,
) -> None:
    if not table.rows:
        empty_note(page.localize("result_empty"))
        return
    text = page.localize.result(page.console.connector.library, action)
    TableView(table, text, page.localize, caption or page.localize.of(action.title), links, label)


def _chart(page: Page, action: Action, kept: KeptAnswer) -> None:
    chart = chart_of(action, kept.output)
    if chart is not None:
        with box("chart-place"):
            ui.html(charts.draw(chart, page.localize), sanitize=False)


def _show_ages(page: Page, action: Action, kept: KeptAnswer, label: FigureLabel) -> None:
    """Build the ages as buttons above the table; pressing one leaves only its items."""
    localize = page.localize
    table = table_of(action, kept.output)
    ages = ages_of(table, cutoff_of(kept.output, kept.kept_at.date()))
    if label.sums:
        TextWidget("p", label.sum_text, "figure-sums")
    _chart(page, action, kept)
    with flex_row("ages").props('role="group"') as group:
        group.props["aria-label"] = localize("money_ages")
        buttons: dict[int | None, Any] = {None: button(localize("money_all_ages"), lambda: choose(None), "small")}
        for one in by_age(table, ages):
            age, amount = localize(f"age_{one.index}"), localize.amount(one.amount)
            name = localize("money_age", age=age, count=one.count, amount=amount)
            buttons[one.index] = button(name, lambda _, index=one.index: choose(index), "small")
    place = box("age-items")

    def choose(index: int | None) -> None:
        for other, pressed in buttons.items():
            pressed.props["aria-pressed"] = "true" if other == index else "false"
            pressed.update()
        place.clear()
        with place:
            rows = with_rows(table, [index is None or age == index for age in ages])
            title = localize("money_open_items")
            _table(page, action, rows, label, caption=title if index is None else f"{title} {localize(f'age_{index}')}")

    choose(None)


async def _kept(page: Page, action: Action) -> KeptAnswer | None:
    """The answer to what this person chose last."""
    try:
        return await LastAnswers(page, action).latest(page.console.selections.get(action.id, {}))
    except NoCredential:
        return None


async def _account_name(page: Page, id: str) -> str:
    """What an account is called, as far as the kept list of accounts knows it."""
    connector = page.console.connector
    kept, lookup = await _kept(page, connector.action_for("account_list")), account_input(connector)[1]
    rows = kept.output.get("items", []) if kept else ()
    named = (lookup.options.entry(row, lang=page.localize.lang) for row in rows)
    return next((one.label for one in named if one is not None and one.value == id), id)
