"""Shows what came back: cost, chart, table and JSON."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from connector.core.manifest.model import Action
from connector.interfaces.console.figures import charts
from connector.interfaces.console.figures.labels import FigureLabel
from connector.interfaces.console.figures.result_data import chart_of, declared_rows, table_of
from connector.interfaces.console.figures.table import TableView
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.snippets import pretty
from connector.interfaces.console.frame.widgets import TextWidget, box, code_block, definition_list, empty_note, heading
from connector.runtime.result import Result


def show_done(page: Page, result: Result) -> None:
    """Say that a call is done, what it cost, and what looks unintended."""
    localize = page.localize
    with box("notice good"):
        TextWidget("strong", localize("run_done"))
        cost = localize("run_cost", cost=localize.credits(result.credits.cost))
        if result.credits.balance is not None:
            cost += f" {localize('run_balance', balance=localize.number(result.credits.balance))}"
        TextWidget("span", f" {cost}")
    show_warnings(page, result)


def show_labelled(page: Page, action: Action, output: Any, label: FigureLabel) -> None:
    """Build what came back, under what was asked for."""
    if label.facts:
        heading(3, label.title, "figure-title")
    if label.sums:
        TextWidget("p", label.sum_text, "figure-sums")
    show_output(page, action, output, label)


def show_output(page: Page, action: Action, output: Any, label: FigureLabel | None = None) -> None:
    """Build what came back: a chart where the manifest declares one, a table or facts, and the JSON.

    `label` says what a table of it belongs to.
    """
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
            TableView(table, text, localize, localize.of(action.title), label=label)
    elif isinstance(output, dict) and "items" in output:
        empty_note(localize("result_empty"))
    with ui.expansion(localize("as_json")).props("dense").classes("json"):
        code_block(pretty(output), localize)


def show_warnings(page: Page, result: Result) -> None:
    """Show what was done but looks unintended."""
    for warning in result.warnings:
        TextWidget("p", page.localize.of(warning), "notice")
