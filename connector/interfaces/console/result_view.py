"""What came of a run: a chart where one says more, the table, the whole as JSON, and what it cost."""

from __future__ import annotations

from urllib.parse import quote

from nicegui import ui

from connector.core.manifest.model import Action
from connector.core.states import payment_states
from connector.interfaces.console import charts
from connector.interfaces.console.frame import Visit, desk_here
from connector.interfaces.console.pieces import Text, box, code, empty, link, show_table
from connector.interfaces.console.snippets import pretty
from connector.interfaces.console.views import chart_of, rows_of, table_of
from connector.runtime.connector import Connector
from connector.runtime.result import Result


def show_result(visit: Visit, action: Action, result: Result) -> None:
    """Fills the place around it."""
    localize = visit.localize
    with box("notice good"):
        Text("strong", localize("console_run_replayed" if result.replayed else "run_done"))
        cost = localize("run_cost", cost=localize.credits(result.credits.cost))
        if result.credits.balance is not None:
            cost += f" {localize('run_balance', balance=localize.number(result.credits.balance))}"
        Text("span", f" {cost}")
    trigger = _settling(desk_here().connector) if action.resource == "Payment" and action.writes else None
    if trigger and isinstance(result.output, dict) and result.output.get("id"):
        target = f"triggers/{trigger}?payment_id={quote(str(result.output['id']))}"
        link(localize("watch_it_settle"), visit.to(target), "button")
    chart = chart_of(action, result.output)
    if chart is not None:
        with box("chart-place"):
            ui.html(charts.draw(chart, localize), sanitize=False)
    if rows_of(result.output):
        show_table(table_of(action, result.output), localize, localize("result_title"))
    elif isinstance(result.output, dict) and "items" in result.output:
        empty(localize("result_empty"))
    with ui.expansion(localize("as_json")).props("dense").classes("json"):
        code(pretty(result.output), localize)


def _settling(connector: Connector) -> str | None:
    """The trigger that waits for the success of a payment."""
    waits_for = {id: one.raw["event"].get("when") for id, one in connector.triggers.items() if one.event}
    return next(
        (id for id, when in waits_for.items() if when in [{"status": one} for one in payment_states().succeeded]), None
    )
