"""Shows what came back: cost, chart, table and JSON."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from connector.core.manifest.model import Action
from connector.interfaces.console.figures import charts
from connector.interfaces.console.figures.chart_data import chart_of
from connector.interfaces.console.figures.labels import FigureLabel
from connector.interfaces.console.figures.row_details import row_facts, show_facts_to_copy
from connector.interfaces.console.figures.table import TableView
from connector.interfaces.console.figures.table_model import TableModel
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.snippets import pretty
from connector.interfaces.console.frame.widgets import TextWidget, box, code_block, empty_note, heading
from connector.interfaces.result_rows import Table, declared_rows, table_of
from connector.interfaces.result_text import ResultText
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
    localize, library = page.localize, page.console.connector.library
    text = localize.result(library, action)
    show_chart(page, action, output, text)
    if declared_rows(action, output):
        table = table_of(action, output, text)
        if len(table.rows) == 1 and not action.is_list:
            _show_single(page, table, text)
        else:
            TableView(page, TableModel(table, text), localize.of(action.title), label)
    elif isinstance(output, dict) and "items" in output:
        empty_note(localize("result_empty"))
    with ui.expansion(localize("as_json")).props("dense").classes("json"):
        code_block(pretty(output), localize)


def show_chart(page: Page, action: Action, output: Any, text: ResultText) -> None:
    """Draw the chart that the manifest declares, if there is enough to draw."""
    chart = chart_of(action, output, text, page.console.connector.library)
    if chart is not None:
        with box("chart-place"):
            ui.html(charts.draw(chart, page.localize), sanitize=False)


def _show_single(page: Page, table: Table, text: ResultText) -> None:
    """Show one resource: its columns as facts, with ids to copy."""
    show_facts_to_copy(page, row_facts(text, table.rows[0], keep_empty=True))


def show_warnings(page: Page, result: Result) -> None:
    """Show what was done but looks unintended."""
    for warning in result.warnings:
        TextWidget("p", page.localize.of(warning), "notice")
