"""The links between the settings pages of a workspace."""

from __future__ import annotations

from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.widgets import box, link

PLACES = {
    "key": "settings/key",
    "budget": "settings/budget",
    "policy": "settings/policy",
    "alerts": "settings/alerts",
    "tokens": "tokens",
}
FOR_ADMINS = frozenset({"alerts", "tokens"})


def places(page: Page) -> dict[str, str]:
    """Return the settings that this visitor may open, by name."""
    admin = page.console.actor.may("admin")
    return {name: place for name, place in PLACES.items() if admin or name not in FOR_ADMINS}


def settings_links(page: Page, current: str) -> None:
    """Show the links, the current one marked."""
    with box("subplaces", "nav") as nav:
        nav.props["aria-label"] = page.localize("settings_nav")
        for name, place in places(page).items():
            item = link(page.localize(f"settings_{name}"), page.url(place), "place")
            if name == current:
                item.props["aria-current"] = "page"
