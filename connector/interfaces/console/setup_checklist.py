"""The checklist on the overview that leads a new workspace from its key to its first platform."""

from __future__ import annotations

from nicegui import ui

from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.setup_model import Step, known_of, next_step, steps
from connector.interfaces.console.widgets import Text, box, heading, link, pill

REFRESH_SECONDS = 2.0


class SetupChecklist:
    """Builds itself as the first panel of the page, and is gone when everything is done."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._section = box("panel wide setup", "section")
        self._section.set_visibility(False)
        self._shown: list[Step] | None = None
        ui.timer(0.1, self.refresh, once=True)
        ui.timer(REFRESH_SECONDS, self.refresh)

    async def refresh(self) -> None:
        """Show how far the workspace is."""
        console = self._page.console
        workspace, own = await console.workspace(), console.key_from_environment
        known = await console.read(lambda connection: known_of(connection, workspace, has_key=own))
        found = steps(known, sandboxed=console.state.sandboxed)
        if found == self._shown:
            return
        self._shown = found
        self._section.set_visibility(next_step(found) is not None)
        self._section.clear()
        with self._section:
            self._build(found)

    def _build(self, found: list[Step]) -> None:
        localize, following = self._page.localize, next_step(found)
        heading(2, localize("setup_title"), "panel-title")
        with box("setup-steps", "ol"):
            for step in found:
                with box("setup-step", "li"):
                    pill(localize("setup_done" if step.done else "setup_open"), "good" if step.done else "")
                    with box("need-text"):
                        if step == following:
                            where = self._page.url(step.place)
                            link(localize(f"setup_{step.name}"), where).classes("setup-next")
                        else:
                            Text("span", localize(f"setup_{step.name}"))
                        if step == following:
                            Text("span", self._help(step), "quiet")

    def _help(self, step: Step) -> str:
        sandboxed = self._page.console.state.sandboxed
        name = f"{step.name}_sandbox" if step.name == "fired" and sandboxed else step.name
        return self._page.localize(f"setup_{name}_help")
