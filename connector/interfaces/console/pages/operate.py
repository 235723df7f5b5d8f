"""The operate page: what is wrong now, budget and rate window, and what happened to banks, budget, window and polls."""

from __future__ import annotations

from nicegui import ui
from nicegui.element import Element
from sqlalchemy import Connection

from connector.core import service_facts
from connector.core.messages import Text as Words
from connector.core.messages import quote, say
from connector.core.values import json
from connector.durable.upkeep.alerts import ABOUT as ALERTS
from connector.durable.upkeep.alerts import Condition, conditions_of
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.flows.timeline import MAX_LINES, Line, TimelineView, happening_line
from connector.interfaces.console.frame.page_frame import Page, page_at, page_frame
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    empty_note,
    flex_row,
    link,
    panel,
    paragraph,
    pill,
)
from connector.interfaces.console.home.state_panels import credits_panel, rate_panel, webhook_panel
from connector.operations.money import ABOUT_BUDGET as BUDGET
from connector.runtime.records.rate_windows import ABOUT as RATE
from connector.store.triggers import cursors, events, timeline
from connector.store.triggers.events import Event
from connector.store.trust import credentials

REFRESH_SECONDS = 3.0
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
        self._versions: dict[str, object] = {}
        with panel(localize("operate_now"), "wide"):
            self._wrong = box("panel-body").props('role="status" aria-live="polite"')
        with box("panels"):
            self._bodies: list[Element] = []
            for title in ("rate_title", "credits_title", "webhook_title"):
                with panel(localize(title)):
                    self._bodies.append(box("panel-body"))
        with panel(localize("operate_timeline"), "wide"):
            self._timeline = TimelineView(localize)
        ui.timer(0.05, self.refresh, once=True)
        ui.timer(REFRESH_SECONDS, self.refresh)

    async def refresh(self) -> None:
        """Read everything again and rebuild what changed."""
        console = self._page.console
        workspace, day = await console.workspace(), console.state.context.clock.berlin_today().isoformat()
        found = await console.read(lambda connection: conditions_of(connection, console.connector, workspace, day))
        if self._is_new("wrong", found):
            self._show_wrong(found)
        lines = await console.read(lambda connection: self._read_lines(connection, workspace))
        self._timeline.show(lines)
        for body, load in zip(self._bodies, (rate_panel, credits_panel, webhook_panel), strict=True):
            try:
                content = await load(self._page)
            except NoCredential:
                if self._is_new(load.__name__, "no credential"):
                    body.clear()
                    with body:
                        empty_note(self._page.localize("no_credential"))
                continue
            if self._is_new(load.__name__, content.version):
                body.clear()
                with body:
                    content.build()

    def _is_new(self, name: str, version: object) -> bool:
        before, self._versions[name] = self._versions.get(name), version
        return before != version or before is None

    def _show_wrong(self, found: list[Condition]) -> None:
        localize = self._page.localize
        self._wrong.clear()
        with self._wrong:
            if not found:
                paragraph(localize("operate_fine"), "all-well")
            for one in found:
                with box("need"):
                    TextWidget("span", localize.of(one.message), "need-text wrap")
                    with flex_row("need-remedy"):
                        pill(localize(f"condition_{one.kind}"), "bad")
                        link(localize("operate_mend"), self._page.url(one.place))

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
