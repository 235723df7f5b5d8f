"""Shows the result of a run: cost, chart, table and JSON."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from nicegui import ui

from connector.core.manifest.model import Action
from connector.core.states import payment_states
from connector.interfaces.console import charts
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.result_data import chart_of, rows_of, table_of
from connector.interfaces.console.snippets import pretty
from connector.interfaces.console.widgets import Text, box, code_block, empty_note, link, show_table
from connector.runtime.connector import Connector
from connector.runtime.result import Result


def show_result(page: Page, action: Action, result: Result, repeat: Callable[[], None] | None = None) -> None:
    """Build the result view in the current container; `repeat` builds what is offered where nothing was sent."""
    localize = page.localize
    if result.expires_at is not None:
        with box("notice"):
            until = localize.date_time(result.expires_at)
            Text("strong", localize("approval_waits", until=until, run=result.run))
            link(localize("place_approvals"), page.url("approvals"))
        return
    with box("notice good"):
        Text("strong", localize("console_run_replayed" if result.replayed else "run_done"))
        cost = localize("run_cost", cost=localize.credits(result.credits.cost))
        if result.credits.balance is not None:
            cost += f" {localize('run_balance', balance=localize.number(result.credits.balance))}"
        Text("span", f" {cost}")
    show_warnings(page, result)
    if result.replayed and repeat is not None:
        repeat()
    trigger = _settling(page.console.connector) if action.resource == "Payment" and action.writes else None
    if trigger and isinstance(result.output, dict) and result.output.get("id"):
        target = f"triggers/{trigger}?payment_id={quote(str(result.output['id']))}"
        link(localize("watch_it_settle"), page.url(target), "button")
    chart = chart_of(action, result.output)
    if chart is not None:
        with box("chart-place"):
            ui.html(charts.draw(chart, localize), sanitize=False)
    if rows_of(result.output):
        text = localize.result(page.console.connector.library, action)
        show_table(table_of(action, result.output), text, localize, localize("result_title"))
    elif isinstance(result.output, dict) and "items" in result.output:
        empty_note(localize("result_empty"))
    with ui.expansion(localize("as_json")).props("dense").classes("json"):
        code_block(pretty(result.output), localize)


def show_warnings(page: Page, result: Result) -> None:
    """Show what was done but looks unintended."""
    for warning in result.warnings:
        Text("p", page.localize.of(warning), "notice")


def _settling(connector: Connector) -> str | None:
    """The trigger that waits for the success of a payment."""
    waits_for = {id: one.raw["event"].get("when") for id, one in connector.triggers.items() if one.event}
    wanted = [{"status": state} for state in payment_states().succeeded]
    return next((id for id, when in waits_for.items() if when in wanted), None)
