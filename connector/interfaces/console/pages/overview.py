"""The overview page: attention items, credential, credits, rate limit and subscriptions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from connector.core.errors import KontorError
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.frame.page_frame import Page, page_at, page_frame
from connector.interfaces.console.frame.widgets import box, button, empty_note, panel, show_error
from connector.interfaces.console.home.attention_list import AttentionList
from connector.interfaces.console.home.credential_panel import CredentialPanel
from connector.interfaces.console.home.setup_checklist import SetupChecklist
from connector.interfaces.console.home.state_panels import (
    PanelContent,
    credits_panel,
    rate_panel,
    triggers_panel,
    webhook_panel,
)

REFRESH_SECONDS = 4.0
"""Refresh interval of local data; the service is not called."""


@page_at("/")
def overview() -> None:
    """Show the overview."""
    with page_frame("overview") as page:
        _build_page(page)


def _build_page(page: Page) -> None:
    localize = page.localize
    SetupChecklist(page)
    with panel(localize("needs_title"), "wide"):
        attention_box = box("needs").props('role="status" aria-live="polite"')
        attention = AttentionList(page, attention_box)
        button(localize("look_again"), attention.refresh, "small")
    ui.timer(0.1, attention.refresh, once=True)
    with box("panels"):
        with panel(localize("credential_title")):
            CredentialPanel(page)
        live = [
            (panel(localize(title), classes), fill)
            for title, classes, fill in (
                ("credits_title", "", credits_panel),
                ("rate_title", "", rate_panel),
                ("webhook_title", "", webhook_panel),
                ("subscriptions_title", "wide", triggers_panel),
            )
        ]
    bodies = []
    for section, fill in live:
        with section:
            bodies.append(LiveBody(page, fill))

    async def refresh() -> None:
        for body in bodies:
            await body.refresh()

    ui.timer(0.1, refresh, once=True)
    ui.timer(REFRESH_SECONDS, refresh)


class LiveBody:
    """A panel body that is rebuilt only when its content changes, so that the focus stays."""

    def __init__(self, page: Page, load: Callable[[Page], Awaitable[PanelContent]]) -> None:
        self._page, self._load = page, load
        self._body = box("panel-body")
        self._version: object = None

    async def refresh(self) -> None:
        """Load the content and rebuild the body if it changed."""
        localize = self._page.localize
        try:
            content = await self._load(self._page)
        except NoCredential:
            content = PanelContent("no credential", lambda: empty_note(localize("no_credential")))
        except KontorError as error:
            reported = error
            content = PanelContent(str(error), lambda: show_error(reported, localize))
        if content.version != self._version:
            self._version = content.version
            self._body.clear()
            with self._body:
                content.build()
