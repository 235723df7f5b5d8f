"""The settings of a workspace: one card for each of its pages."""

from __future__ import annotations

from nicegui import ui

from connector.interfaces.console.page_frame import page_at, page_frame
from connector.interfaces.console.settings_links import places
from connector.interfaces.console.widgets import Text, box, paragraph


@page_at("/settings")
def settings() -> None:
    """List the settings pages."""
    with page_frame("settings") as page:
        paragraph(page.localize("settings_intro"), "intro")
        with box("cards", "ul"):
            for name, place in places(page).items():
                with ui.element("li"), box("card", "a") as card:
                    card.props["href"] = page.url(place)
                    Text("span", page.localize(f"settings_{name}"), "card-title")
                    Text("span", page.localize(f"settings_{name}_about"), "card-text")
