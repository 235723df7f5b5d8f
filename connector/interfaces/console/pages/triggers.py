"""The list of all triggers, and the events that came in."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from connector.core.manifest.files import AREAS
from connector.interfaces.console.console_context import NoCredential
from connector.interfaces.console.page_frame import Page, page_at, page_frame
from connector.interfaces.console.pages.actions import card
from connector.interfaces.console.widgets import Text, box, empty_note, heading, panel, pill
from connector.store import events
from connector.store.events import Event

REFRESH_SECONDS = 2.0
MAX_EVENTS = 20
TONES = {"fired": "good", "new": "", "stale": "", "unconfirmed": "warn", "forged": "bad", "unknown": "warn"}


@page_at("/triggers")
def triggers() -> None:
    """List all triggers."""
    with page_frame("triggers") as page:
        found = sorted(page.console.connector.triggers.values(), key=lambda one: one.title.in_(page.localize.lang))
        for area in AREAS:
            mine = [trigger for trigger in found if trigger.area == area]
            if mine:
                heading(2, page.localize(f"area_{area}"))
                with box("cards", "ul"):
                    for trigger in mine:
                        card(page, trigger)
        with panel(page.localize("events_title"), "wide"):
            container = box("panel-body")
        _refresh_events(page, container)


def _refresh_events(page: Page, container: Any) -> None:
    shown: list[tuple[int, str, int]] = [(-1, "", 0)]

    async def fill() -> None:
        try:
            credential_id = await page.console.credential_id()
        except NoCredential:
            return
        latest = await page.console.read(lambda connection: events.listed(connection, credential_id, MAX_EVENTS))
        versions = [(event.id, event.state, event.repeats) for event in latest]
        if versions == shown:
            return
        shown[:] = versions
        container.clear()
        with container:
            show_events(page, list(latest))

    ui.timer(0.1, fill, once=True)
    ui.timer(REFRESH_SECONDS, fill)


def show_events(page: Page, latest: list[Event]) -> None:
    """Show received events with their state."""
    localize = page.localize
    if not latest:
        empty_note(localize("events_none"))
        return
    with box("table-frame").props('tabindex="0"'), box("grid", "table"):
        with ui.element("thead"), ui.element("tr"):
            for name in ("head_at", "head_event", "head_state", "head_repeats"):
                Text("th", localize(name)).props('scope="col"')
        with ui.element("tbody"):
            for event in latest:
                with ui.element("tr"):
                    Text("td", localize.date_time(event.arrived_at))
                    Text("td", event.event)
                    with ui.element("td"):
                        pill(localize(f"event_{event.state}"), TONES[event.state])
                    Text("td", str(event.repeats or ""))
