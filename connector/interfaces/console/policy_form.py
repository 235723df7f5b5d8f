"""The policy of a workspace as a form, to be read by all and changed by admins."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from nicegui.element import Element

from connector.core.errors import KontorError
from connector.interfaces import approving
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.widgets import box, button, definition_list, flex_row, paragraph, show_error


class PolicyForm:
    """What the workspace allows, to be read by all and changed by admins."""

    def __init__(self, page: Page, container: Element) -> None:
        self._page, self._container = page, container
        self._fields: dict[str, ui.input] = {}
        self._before: dict[str, str] = {}

    async def build(self) -> None:
        """Show the values, and for an admin the fields to change them."""
        console, localize = self._page.console, self._page.localize
        context, workspace = console.state.context, await console.workspace()
        document = await approving.show_policy(context, console.actor, workspace)
        self._before = {name: self._written(value) for name, value in document["policy"].items()}
        with self._container:
            if not console.actor.may("admin"):
                labels = {localize(f"policy_{name}_meaning"): value or "–" for name, value in self._before.items()}
                definition_list(labels)
                return
            for name, value in self._before.items():
                label = localize(f"policy_{name}_meaning")
                self._fields[name] = ui.input(label, value=value).props("outlined dense").classes("policy-field")
            with flex_row("form-actions"):
                button(localize("policy_save"), self._save, "primary")
            self._told = box("told").props('role="status" aria-live="polite"')

    async def _save(self) -> None:
        console, localize = self._page.console, self._page.localize
        values = {name: (field.value or "").strip() for name, field in self._fields.items()}
        given = {name: value for name, value in values.items() if value != self._before[name]}
        self._told.clear()
        for field in self._fields.values():
            field.error = None
        try:
            console.check("admin")
            workspace = await console.workspace()
            await approving.set_policy(console.state.context, console.actor, given, workspace)
        except KontorError as error:
            if error.field in self._fields:
                self._fields[error.field].error = localize.of(error.message)
            with self._told:
                show_error(error, localize)
            return
        self._before |= given
        with self._told:
            paragraph(localize("policy_saved"), "notice good")

    def _written(self, value: Any) -> str:
        """Return a value as it is typed in."""
        localize = self._page.localize
        if value is None:
            return ""
        if isinstance(value, bool):
            return localize("yes") if value else localize("no")
        return ", ".join(value) if isinstance(value, list) else localize.format_value(value)
