"""The first page: whether all is well, what it costs, and what needs a person."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from nicegui import ui

from connector.core.errors import KontorError
from connector.interfaces.console.desk import NoCredential
from connector.interfaces.console.frame import Visit, page
from connector.interfaces.console.need_list import NeedList
from connector.interfaces.console.pages.credential_panel import CredentialPanel
from connector.interfaces.console.pages.state_panels import (
    Shown,
    credits_panel,
    rate_panel,
    triggers_panel,
    webhook_panel,
)
from connector.interfaces.console.pieces import box, button, empty, panel, show_error

SECONDS = 4.0
"""Between looks at what Kontor itself knows; the service is not asked for these."""


@ui.page("/")
def overview() -> None:
    """All at a glance."""
    with page("overview") as visit:
        _build(visit)


def _build(visit: Visit) -> None:
    localize = visit.localize
    with panel(localize("needs_title"), "wide"):
        place = box("needs").props('role="status" aria-live="polite"')
        needs = NeedList(visit, place)
        button(localize("look_again"), needs.fill, "small")
    ui.timer(0.1, needs.fill, once=True)
    with box("panels"):
        with panel(localize("credential_title")):
            CredentialPanel(visit)
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
            bodies.append(LiveBody(visit, fill))

    async def refresh() -> None:
        for body in bodies:
            await body.refresh()

    ui.timer(0.1, refresh, once=True)
    ui.timer(SECONDS, refresh)


class LiveBody:
    """A panel's body that is made anew when what it shows has changed, and not otherwise: the focus stays."""

    def __init__(self, visit: Visit, look: Callable[[Visit], Awaitable[Shown]]) -> None:
        self._visit, self._look = visit, look
        self._body = box("panel-body")
        self._mark: object = None

    async def refresh(self) -> None:
        """Looks, and shows what is new."""
        localize = self._visit.localize
        try:
            shown = await self._look(self._visit)
        except NoCredential:
            shown = Shown("no credential", lambda: empty(localize("no_credential")))
        except KontorError as error:
            told = error
            shown = Shown(str(error), lambda: show_error(told, localize))
        if shown.mark != self._mark:
            self._mark = shown.mark
            self._body.clear()
            with self._body:
                shown.build()
