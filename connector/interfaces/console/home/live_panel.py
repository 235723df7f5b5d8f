"""A panel body that is rebuilt only when its content changes, so that the focus stays."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from connector.core.errors import KontorError
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import box, empty_note, keep_current, link, show_error

REFRESH_SECONDS = 4.0
"""How often local data is read again; the service is not called."""


@dataclass(frozen=True, slots=True)
class PanelContent:
    """The content of a panel: `version` changes with the data, `build` creates the widgets."""

    version: object
    build: Callable[[], object]


class LivePanel:
    """Builds itself into the current panel."""

    def __init__(self, page: Page, load: Callable[[Page], Awaitable[PanelContent]]) -> None:
        self._page, self._load = page, load
        self._body = box("panel-body")
        self._version: object = None
        keep_current(self._body, self.refresh, REFRESH_SECONDS)

    async def refresh(self) -> None:
        """Load the content and rebuild the body if it changed."""
        try:
            content = await self._load(self._page)
        except NoCredential:
            content = PanelContent("no credential", self._build_no_credential)
        except KontorError as error:
            reported = error
            content = PanelContent(str(error), lambda: show_error(reported, self._page.localize))
        if content.version != self._version:
            self._version = content.version
            self._body.clear()
            with self._body:
                content.build()

    def _build_no_credential(self) -> None:
        empty_note(self._page.localize("no_credential"))
        link(self._page.localize("settings_key"), self._page.url("settings/key"))
