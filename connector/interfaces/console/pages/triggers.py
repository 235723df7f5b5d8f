"""All triggers as cards, the subscriptions there are, and the events that came in."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from connector.core.manifest.files import AREAS
from connector.interfaces.console.desk import NoCredential
from connector.interfaces.console.frame import Visit, page
from connector.interfaces.console.pages.actions import card
from connector.interfaces.console.pieces import Text, box, empty, heading, panel, pill
from connector.interfaces.console.subscription_list import SubscriptionList
from connector.store import events
from connector.store.events import Event

SECONDS = 2.0
LATEST = 20
TONES = {"fired": "good", "new": "", "stale": "", "unconfirmed": "warn", "forged": "bad", "unknown": "warn"}


@ui.page("/triggers")
def triggers() -> None:
    """What starts a flow."""
    with page("triggers") as visit:
        found = sorted(visit.desk.connector.triggers.values(), key=lambda one: one.title.in_(visit.localize.lang))
        for area in AREAS:
            mine = [trigger for trigger in found if trigger.area == area]
            if mine:
                heading(2, visit.localize(f"area_{area}"))
                with box("cards", "ul"):
                    for trigger in mine:
                        card(visit, trigger)
        with panel(visit.localize("subscriptions_title"), "wide"):
            SubscriptionList(visit)
        with panel(visit.localize("events_title"), "wide"):
            place = box("panel-body")
        _keep_filled(visit, place)


def _keep_filled(visit: Visit, place: Any) -> None:
    seen: list[tuple[int, str, int]] = [(-1, "", 0)]

    async def fill() -> None:
        try:
            credential_id = await visit.desk.credential_id()
        except NoCredential:
            return
        latest = await visit.desk.read(lambda connection: events.listed(connection, credential_id, LATEST))
        marks = [(event.id, event.state, event.repeats) for event in latest]
        if marks == seen:
            return
        seen[:] = marks
        place.clear()
        with place:
            show_events(visit, list(latest))

    ui.timer(0.1, fill, once=True)
    ui.timer(SECONDS, fill)


def show_events(visit: Visit, latest: list[Event]) -> None:
    """Events as they came in, with what was decided about each."""
    localize = visit.localize
    if not latest:
        empty(localize("events_none"))
        return
    with box("table-frame").props('tabindex="0"'), box("grid", "table"):
        with ui.element("thead"), ui.element("tr"):
            for name in ("head_at", "head_event", "head_state", "head_repeats"):
                Text("th", localize(name)).props('scope="col"')
        with ui.element("tbody"):
            for event in latest:
                with ui.element("tr"):
                    Text("td", localize.moment(event.arrived_at))
                    Text("td", event.event)
                    with ui.element("td"):
                        pill(localize(f"event_{event.state}"), TONES[event.state])
                    Text("td", str(event.repeats or ""))
