"""The built-in inbox: what triggers that are being tried have sent."""

from __future__ import annotations

from typing import Any

from nicegui import ui
from sqlalchemy import Connection

from connector.core.errors import KontorError
from connector.core.values import json
from connector.durable.outbox.trial_event import MARK
from connector.interfaces.console.flows.deliveries import item_words
from connector.interfaces.console.frame.page_frame import Page, page_at, page_frame
from connector.interfaces.console.frame.snippets import pretty
from connector.interfaces.console.frame.widgets import (
    TextWidget,
    box,
    button,
    empty_note,
    flex_row,
    keep_current,
    link,
    live_region,
    panel,
    paragraph,
    pill,
    show_error,
)
from connector.store.triggers import trial_inbox
from connector.store.triggers.trial_inbox import MAX_KEPT, Received
from connector.store.trust import audit

REFRESH_SECONDS = 1.0


@page_at("/inbox")
def inbox() -> None:
    """Show what arrived, the latest first."""
    with page_frame("inbox") as page:
        paragraph(page.localize("inbox_intro", count=MAX_KEPT), "intro")
        with flex_row():
            link(page.localize("subscriptions_begin"), page.url("triggers"))
            if page.console.state.sandboxed:
                link(page.localize("inbox_let_happen"), page.url("sandbox"))
        with panel(page.localize("inbox_title"), "wide"):
            InboxView(page)


class InboxView:
    """The list, brought up to date while the page is open; what a person has opened stays open."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._said = live_region()
        self._list = box("events").props('role="status" aria-live="polite"')
        self._newest: int | None = None
        with flex_row():
            self._empty = button(page.localize("inbox_empty"), self._clear, "small")
            self._empty.set_visibility(False)
        keep_current(self._list, self.refresh, REFRESH_SECONDS)

    async def refresh(self) -> None:
        """Add what arrived since."""
        console = self._page.console
        workspace = await console.workspace()
        found = await console.read(lambda connection: trial_inbox.listed(connection, workspace))
        newest = found[0].id if found else 0
        if newest == self._newest:
            return
        if self._newest in (None, 0) or not newest:
            self._list.clear()
        known, self._newest = self._newest or 0, newest
        self._empty.set_visibility(bool(found) and console.actor.may("operator"))
        with self._list:
            if not found:
                empty_note(self._page.localize("inbox_none"))
        for one in reversed([one for one in found if one.id > known]):
            self._show(one)

    def _show(self, one: Received) -> None:
        localize, item = self._page.localize, json.decode(one.body)
        trigger = self._page.console.connector.triggers.get(one.trigger)
        with self._list, box("event") as row:
            TextWidget("time", localize.clock_time(one.arrived_at), "event-time")
            with box("event-body"):
                with flex_row("event-head"):
                    title = localize.of(self._page.console.trigger_title(one.trigger))
                    link(title, self._page.url(f"subscriptions/{one.subscription_id}"))
                    if isinstance(item, dict) and item.get(MARK):
                        pill(localize("inbox_test"), "accent")
                TextWidget("div", item_words(self._page, trigger, item, ""), "event-line")
                with ui.expansion(localize("as_json")).props("dense"):
                    TextWidget("pre", pretty(item), "code")
        row.move(target_index=0)

    async def _clear(self, *_: Any) -> None:
        console = self._page.console
        try:
            workspace = await console.workspace()
            by, now = console.source, console.state.context.now()

            def empty(connection: Connection) -> None:
                trial_inbox.empty(connection, workspace)
                audit.record_by(connection, by, workspace=workspace, what="inbox.emptied", subject="", now=now)

            await console.write(empty)
        except KontorError as error:
            self._said.clear()
            with self._said:
                show_error(error, self._page.localize)
            return
        self._newest = None
        await self.refresh()
