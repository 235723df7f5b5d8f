"""The workspaces of the host: to switch to, and to add."""

from __future__ import annotations

from functools import partial

from nicegui import ui
from nicegui.element import Element

from connector.core.errors import KontorError
from connector.core.messages import say
from connector.interfaces.console.frame.page_frame import Page, is_default, page_at, page_frame
from connector.interfaces.console.frame.role_note import offered
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    flex_row,
    live_region,
    panel,
    paragraph,
    pill,
    show_error,
)
from connector.interfaces.console.pages.settings import settings_links
from connector.operations import people as administration


@page_at("/workspaces")
async def workspaces() -> None:
    """List the workspaces; who belongs to one is told so."""
    with page_frame("settings", say("place_workspaces")) as page:
        settings_links(page, "workspaces")
        if page.console.actor.workspace is not None:
            paragraph(page.localize("workspaces_own", name=page.console.actor.workspace), "notice")
            return
        if not offered(page, "admin"):
            return
        with panel(page.localize("workspaces_title"), "wide"):
            paragraph(page.localize("workspaces_intro"), "quiet")
            listed = WorkspaceList(page, box("panel-body"))
        with panel(page.localize("workspace_new"), "wide"):
            WorkspaceForm(page, box("panel-body"), listed).build()
        await listed.refresh()


class WorkspaceList:
    """The workspaces with their keys, and a button that switches to each."""

    def __init__(self, page: Page, container: Element) -> None:
        self._page, self._container = page, container

    async def refresh(self) -> None:
        """Show the workspaces as they are now."""
        console, localize = self._page.console, self._page.localize
        current = await console.workspace()
        found = await administration.list_workspaces(console.state.context, console.actor)
        self._container.clear()
        with self._container:
            for one in found["workspaces"]:
                with box("need"):
                    with box("need-text"), flex_row():
                        TextWidget("strong", one["name"])
                        if is_default(one["name"]):
                            TextWidget("span", localize("who_default"), "quiet")
                        if one["name"] == current:
                            pill(localize("workspace_current"), "good")
                        if not one["keys"]:
                            pill(localize("workspace_without_key"), "warn")
                    if one["name"] != current:
                        with box("need-remedy"):
                            name = localize("workspace_switch", name=one["name"])
                            button(name, partial(self._switch, one["name"]), "small")

    def _switch(self, name: str) -> None:
        self._page.console.switch_to(name)
        self._page.console.open_pages.reload_others(ui.context.client)
        ui.navigate.to("/workspaces")  # below where the console is mounted


class WorkspaceForm:
    """Asks for the name of a new workspace."""

    def __init__(self, page: Page, container: Element, listed: WorkspaceList) -> None:
        self._page, self._container, self._listed = page, container, listed

    def build(self) -> None:
        """Build the field."""
        localize = self._page.localize
        with self._container:
            self._name = ui.input(localize("workspace_name")).props("outlined dense").classes("policy-field")
            with flex_row("form-actions"):
                button(localize("workspace_add"), self._add, "primary")
            self._told = live_region()

    async def _add(self) -> None:
        console, localize = self._page.console, self._page.localize
        self._told.clear()
        self._name.error = None
        try:
            console.check("admin")
            name = (self._name.value or "").strip()
            await administration.create_workspace(console.state.context, console.actor, name)
        except KontorError as error:
            if error.field in {"name", "workspace"}:
                self._name.error = localize.of(error.message)
                return
            with self._told:
                show_error(error, localize)
            return
        self._name.value = ""
        with self._told:
            paragraph(localize("workspace_added", name=name), "notice good")
        await self._listed.refresh()
