"""What changed lately: the last runs and the triggers that fired, newest first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from connector.interfaces.console.flows.deliveries import TONES as DELIVERY_TONES
from connector.interfaces.console.flows.deliveries import item_name
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import TextWidget, box, empty_note, link, pill
from connector.interfaces.console.home.live_panel import PanelContent
from connector.interfaces.console.runs.run_list import Filters, find_runs
from connector.store.triggers import deliveries

MAX_LINES = 8


@dataclass(frozen=True, slots=True)
class Change:
    """One line."""

    at: datetime
    what: str
    about: str
    state: str
    tone: str
    place: str


async def changes_panel(page: Page) -> PanelContent:
    """The latest runs and deliveries of the workspace, each with a link to its page."""
    found = [*await _runs(page), *await _deliveries(page)]
    lines = sorted(found, key=lambda one: one.at, reverse=True)[:MAX_LINES]

    def build() -> None:
        if not lines:
            empty_note(page.localize("changes_none"))
            return
        with box("changes", "ul"):
            for one in lines:
                _show(page, one)
        link(page.localize("run_all"), page.url("runs"))

    return PanelContent(lines, build)


def _show(page: Page, one: Change) -> None:
    with box("change", "li"):
        TextWidget("time", page.localize.date_time(one.at), "event-time").props["datetime"] = one.at.isoformat()
        with box("change-about"):
            link(one.what, page.url(one.place))
            TextWidget("span", one.about, "quiet")
        pill(one.state, one.tone)


async def _runs(page: Page) -> list[Change]:
    lines = await find_runs(page.console, Filters(), page.localize, MAX_LINES)
    return [
        Change(
            line.run.made_at, line.title, line.summary, line.standing.word, line.standing.tone, f"runs/{line.run.id}"
        )
        for line in lines
    ]


async def _deliveries(page: Page) -> list[Change]:
    console, localize = page.console, page.localize
    workspace = await console.workspace()
    found = await console.read(lambda connection: deliveries.newest(connection, workspace, MAX_LINES))
    return [
        Change(
            one.made_at,
            localize.of(console.trigger_title(trigger)),
            item_name(page, console.connector.triggers.get(trigger), one),
            localize(f"delivery_{one.state}"),
            DELIVERY_TONES[one.state],
            f"subscriptions/{one.subscription_id}",
        )
        for one, trigger in found
    ]
