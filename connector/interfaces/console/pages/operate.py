"""How the host runs: what needs whoever runs it, credits and rate window, banks, and what happened to them."""

from __future__ import annotations

from sqlalchemy import Connection

from connector.core import service_facts
from connector.core.messages import Text as Words
from connector.core.messages import quote, say
from connector.core.values import json
from connector.durable.upkeep.alerts import ABOUT as ALERTS
from connector.interfaces.console.flows.timeline import MAX_LINES, Line, TimelineView, happening_line
from connector.interfaces.console.frame.page_frame import Page, page_at, page_frame
from connector.interfaces.console.frame.widgets import (
    box,
    keep_current,
    panel,
)
from connector.interfaces.console.home.attention_list import AttentionList
from connector.interfaces.console.home.live_panel import LivePanel
from connector.interfaces.console.home.state_panels import banks_panel, credits_panel, rate_panel, webhook_panel
from connector.operations.money import ABOUT_BUDGET as BUDGET
from connector.runtime.records.rate_windows import ABOUT as RATE
from connector.store.triggers import cursors, events, timeline
from connector.store.triggers.events import Event
from connector.store.trust import credentials

REFRESH_SECONDS = 3.0
PANELS = {
    "rate_title": rate_panel,
    "credits_title": credits_panel,
    "webhook_title": webhook_panel,
    "banks_title": banks_panel,
}
MAX_EVENTS = 40


@page_at("/operate")
def operate() -> None:
    """Show how the workspace runs; the service is not asked."""
    with page_frame("operate") as page:
        OperateView(page)


class OperateView:
    """The panels, brought up to date while the page is open."""

    def __init__(self, page: Page) -> None:
        self._page, localize = page, page.localize
        with panel(localize("needs_title"), "wide"):
            AttentionList(page, "operate")
        with box("panels"):
            for title, load in PANELS.items():
                with panel(localize(title)):
                    LivePanel(page, load)
        with panel(localize("operate_timeline"), "wide") as timeline:
            self._timeline = TimelineView(localize)
        keep_current(timeline, self.refresh, REFRESH_SECONDS)

    async def refresh(self) -> None:
        """Read the timeline again."""
        console = self._page.console
        workspace = await console.workspace()
        self._timeline.show(await console.read(lambda connection: self._read_lines(connection, workspace)))

    def _read_lines(self, connection: Connection, workspace: str) -> list[Line]:
        lines: list[Line] = []
        about = [ALERTS + workspace]
        for one in credentials.listed(connection, workspace):
            about += [BUDGET + one.fingerprint, RATE + one.fingerprint]
            about += [cursor.name for cursor in cursors.scheduled(connection, one.fingerprint)[:MAX_EVENTS]]
            latest = events.listed(connection, one.id, MAX_EVENTS)
            lines += [line for event in latest if (line := self._bank_line(event)) is not None]
        lines += [happening_line(one) for one in timeline.listed(connection, about, MAX_LINES)]
        return sorted(lines, key=lambda line: line.at, reverse=True)[:MAX_LINES]

    def _bank_line(self, event: Event) -> Line | None:
        if service_facts.about(event.event) != service_facts.BANK_CONNECTION or event.state != "fired":
            return None
        data = json.decode(event.body).get("data") or {}
        id = str(data.get(service_facts.declared()[event.event]["id"], ""))
        bad = service_facts.well_status(event.event) is not None or service_facts.says_gone(event.event)
        words = say("timeline_bank_event", id=id, event=self._event_name(event.event))
        return Line(event.arrived_at, words, "bad" if bad else "good")

    def _event_name(self, event: str) -> Words:
        """Return what the trigger of this event alone is called."""
        found = (one.title for one in self._page.console.connector.triggers.values() if tuple(one.events) == (event,))
        return next(found, quote(event))
