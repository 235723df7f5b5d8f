"""The list of all actions as cards, by area."""

from __future__ import annotations

from nicegui import ui

from connector.core.manifest.files import AREAS
from connector.core.manifest.model import Action, Trigger
from connector.core.manifest.search import matches
from connector.interfaces.console.page_frame import Page, page_at, page_frame
from connector.interfaces.console.widgets import Text, box, heading, paragraph, pill

TONES = {"read": "", "create": "accent", "update": "accent"}


@page_at("/actions")
def actions() -> None:
    """List all actions."""
    with page_frame("actions") as page:
        found = sorted(page.console.connector.actions.values(), key=lambda one: one.title.in_(page.localize.lang))
        search = ui.input(page.localize("search_list")).props("type=search outlined dense clearable")
        cards: list[tuple[Action, ui.element]] = []
        for area in AREAS:
            mine = [action for action in found if action.area == area]
            if mine:
                heading(2, page.localize(f"area_{area}"))
                with box("cards", "ul"):
                    cards += [(action, card(page, action)) for action in mine]
        search.on_value_change(lambda change: _filter(cards, change.value or ""))
        if any(action.cost.assumed for action in found):
            paragraph(page.localize("cost_assumed"), "quiet")


def _filter(cards: list[tuple[Action, ui.element]], text: str) -> None:
    """Show the cards that the words describe."""
    for action, shown in cards:
        shown.set_visibility(matches(action.raw, text))


def card(page: Page, manifest: Action | Trigger) -> ui.element:
    """Show a manifest as a card that links to its page."""
    localize = page.localize
    section = "actions" if isinstance(manifest, Action) else "triggers"
    with ui.element("li") as line, box("card", "a") as found:
        found.props["href"] = page.url(f"{section}/{manifest.id}")
        with box("card-head"):
            Text("span", localize.of(manifest.title), "card-title")
        Text("span", _first_sentence(localize.of(manifest.description)), "card-text")
        with box("pills"):
            if isinstance(manifest, Action):
                pill(localize(f"effect_{manifest.effect}"), TONES[manifest.effect])
            else:
                pill(localize(f"source_{manifest.source}"), "accent" if manifest.source == "event" else "")
            pill(localize.cost(manifest.cost), "" if manifest.cost.credits else "good")
    return line


def _first_sentence(text: str) -> str:
    head, dot, _ = text.partition(". ")
    return head + "." if dot else text
