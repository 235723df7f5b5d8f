"""The credit budget of a workspace's key, as a page of its settings."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal

from nicegui import ui

from connector.core.errors import InputError, KontorError
from connector.core.messages import say
from connector.interfaces.budget_change import change_budget
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.page_frame import Page, page_at, page_frame
from connector.interfaces.console.settings_links import settings_links
from connector.interfaces.console.widgets import (
    box,
    button,
    empty_note,
    flex_row,
    live_region,
    panel,
    paragraph,
    show_error,
)
from connector.interfaces.credit_report import load_report

MAX_CREDITS = 10**9


@page_at("/settings/budget")
async def settings_budget() -> None:
    """Show the budget and what was spent today."""
    with page_frame("settings", say("settings_budget")) as page:
        settings_links(page, "budget")
        with panel(page.localize("settings_budget"), "wide"):
            form = BudgetForm(page)
        await form.build()


class BudgetForm:
    """The three limits, to be read by all and changed by admins."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._body = box("panel-body")
        self._said = live_region()
        self._fields: dict[str, ui.input] = {}
        self._fingerprint = ""

    async def build(self) -> None:
        """Show the values as they are stored; the service is not asked."""
        console, localize = self._page.console, self._page.localize
        try:
            session = await console.session("viewer")
        except NoCredential:
            with self._body:
                empty_note(localize("no_credential"))
            return
        self._fingerprint = session.credential.fingerprint
        console.connector.tally.flush()
        report = await console.read(lambda connection: load_report(connection, self._fingerprint, session.clock))
        today = sum(
            (one.credits + one.reserved for one in report.spent if one.day == report.day.isoformat()), Decimal(0)
        )
        with self._body:
            paragraph(localize("budget_spent_today", credits=localize.credits(today)))
            paragraph(localize("budget_empty_is_none"), "quiet")
            for name, value in asdict(report.budget).items():
                field = ui.input(localize(f"budget_{name}"), value="" if not value else str(value))
                field.props("outlined dense stack-label inputmode=numeric").classes("input number-input")
                self._fields[name] = field
                if not console.actor.may("admin"):
                    field.disable()
            if console.actor.may("admin"):
                with flex_row("form-actions"):
                    button(localize("policy_save"), self._save, "primary")

    async def _save(self) -> None:
        console, localize = self._page.console, self._page.localize
        self._said.clear()
        try:
            given = {name: self._number(name) for name in self._fields}
            now, by = console.state.context.now(), console.source
            await console.write(
                lambda connection: change_budget(connection, by, self._fingerprint, given, now), role="admin"
            )
        except KontorError as error:
            with self._said:
                show_error(error, localize)
            return
        with self._said:
            paragraph(localize("budget_saved"), "notice good")

    def _number(self, name: str) -> int | None:
        field, text = self._fields[name], (self._fields[name].value or "").strip()
        field.error = None
        if text and not (text.isascii() and text.isdigit() and int(text[:11]) <= MAX_CREDITS):
            message = say("budget_not_a_number", label=say(f"budget_{name}"))
            field.error = self._page.localize.of(message)
            raise InputError(message, field=name)
        return int(text) if text and int(text) else None
