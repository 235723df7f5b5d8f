"""All actions as cards, by area, with cost and effect."""

from __future__ import annotations

from nicegui import ui

from connector.core.manifest.files import AREAS
from connector.core.manifest.model import Action, Trigger
from connector.interfaces.console.frame import Visit, page
from connector.interfaces.console.pieces import Text, box, heading, paragraph, pill

TONES = {"read": "", "create": "accent", "update": "accent"}


@ui.page("/actions")
def actions() -> None:
    """What a step can do."""
    with page("actions") as visit:
        found = sorted(visit.desk.connector.actions.values(), key=lambda one: one.title.in_(visit.localize.lang))
        for area in AREAS:
            mine = [action for action in found if action.area == area]
            if mine:
                heading(2, visit.localize(f"area_{area}"))
                with box("cards", "ul"):
                    for action in mine:
                        card(visit, action)
        if any(action.cost.assumed for action in found):
            paragraph(visit.localize("cost_assumed"), "quiet")


def card(visit: Visit, manifest: Action | Trigger) -> None:
    """One manifest as a card that is a link as a whole."""
    localize = visit.localize
    place = "actions" if isinstance(manifest, Action) else "triggers"
    with ui.element("li"), box("card", "a") as found:
        found.props["href"] = visit.to(f"{place}/{manifest.id}")
        with box("card-head"):
            Text("span", localize.of(manifest.title), "card-title")
        Text("span", _first_sentence(localize.of(manifest.description)), "card-text")
        with box("pills"):
            if isinstance(manifest, Action):
                pill(localize(f"effect_{manifest.effect}"), TONES[manifest.effect])
            else:
                pill(localize(f"source_{manifest.source}"), "accent" if manifest.source == "event" else "")
            pill(localize.cost(manifest.cost), "" if manifest.cost.credits else "good")


def _first_sentence(text: str) -> str:
    head, dot, _ = text.partition(". ")
    return head + "." if dot else text
