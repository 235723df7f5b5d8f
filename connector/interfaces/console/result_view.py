"""Shows what came back: cost, chart, table and JSON."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from connector.core.manifest.model import Action
from connector.interfaces.console import charts
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.result_data import chart_of, declared_rows, table_of
from connector.interfaces.console.snippets import pretty
from connector.interfaces.console.table_view import TableView
from connector.interfaces.console.widgets import Text, box, code_block, definition_list, empty_note
from connector.runtime.result import Result


def show_result(page: Page, action: Action, result: Result) -> None:
    """Build the result of a read in the current container."""
    localize = page.localize
    with box("notice good"):
        Text("strong", localize("run_done"))
        cost = localize("run_cost", cost=localize.credits(result.credits.cost))
        if result.credits.balance is not None:
            cost += f" {localize('run_balance', balance=localize.number(result.credits.balance))}"
        Text("span", f" {cost}")
    show_warnings(page, result)
    show_output(page, action, result.output)


def show_output(page: Page, action: Action, output: Any) -> None:
    """Build what came back: a chart where the manifest declares one, a table or facts, and the JSON."""
    localize = page.localize
    chart = chart_of(action, output)
    if chart is not None:
        with box("chart-place"):
            ui.html(charts.draw(chart, localize), sanitize=False)
    if declared_rows(action, output):
        text, table = localize.result(page.console.connector.library, action), table_of(action, output)
        if len(table.rows) == 1 and not action.is_list:
            labels, row = text.labels(table.columns), table.rows[0]
            values = {
                label: text.value(row[name], name, row) for label, name in zip(labels, table.columns, strict=True)
            }
            definition_list(values)
        else:
            TableView(table, text, localize, localize.of(action.title))
    elif isinstance(output, dict) and "items" in output:
        empty_note(localize("result_empty"))
    with ui.expansion(localize("as_json")).props("dense").classes("json"):
        code_block(pretty(output), localize)


def show_warnings(page: Page, result: Result) -> None:
    """Show what was done but looks unintended."""
    for warning in result.warnings:
        Text("p", page.localize.of(warning), "notice")
