"""The navigation: a start page and three areas, for who builds flows, who decides about money, and who runs the host.

Each area has its pages, and a number that says how much of what needs a person belongs to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from nicegui.element import Element

from connector.durable.upkeep.attention import AREAS, Area, AttentionItem, count_by_area
from connector.interfaces.console.frame.widgets import TextWidget, box, link
from connector.interfaces.console.localizer import Localizer

HOME = "overview"
PLACES: Mapping[Area, tuple[str, ...]] = {
    "build": ("actions", "triggers", "subscriptions", "inbox", "exports", "sandbox"),
    "decide": ("approvals", "runs", "money"),
    "operate": ("operate", "doctor", "settings"),
}
"""The pages of each area; an area is opened at its first one."""
COUNTED: Mapping[Area, str] = {"build": "subscriptions", "decide": "approvals", "operate": "operate"}
"""The page of each area that lists what the number counts."""
MAX_COUNT = 99


class Navigation:
    """Built in the current container. All pages of all areas are there, those of one area are seen."""

    def __init__(self, localize: Localizer, url: Callable[[str], str], *, sandboxed: bool) -> None:
        self._localize = localize
        self._places: dict[str, Element] = {}
        self._areas: dict[str, Element] = {}
        self._groups: dict[Area, Element] = {}
        self._counts: dict[Area, list[tuple[Element, TextWidget]]] = {area: [] for area in AREAS}
        with box("areas", "nav") as areas:
            areas.props["aria-label"] = localize("navigation")
            self._areas[HOME] = link(localize(f"place_{HOME}"), url(""), "area")
            for area in AREAS:
                self._areas[area] = link("", url(PLACES[area][0]), "area")
                self._fill(self._areas[area], localize(f"navigation_{area}"), area)
        for area, names in PLACES.items():
            with box("places", "nav") as group:
                group.props["aria-label"] = localize(f"navigation_{area}")
                for name in names:
                    if name == "sandbox" and not sandboxed:
                        continue
                    self._places[name] = link("", url(name), "place")
                    self._fill(self._places[name], localize(f"place_{name}"), area if name == COUNTED[area] else None)
            self._groups[area] = group

    def _fill(self, place: Element, name: str, counted: Area | None) -> None:
        with place:
            TextWidget("span", name)
            if counted is not None:
                with box("count", "span") as count:
                    number = TextWidget("span", "")
                    TextWidget("span", self._localize("count_waiting"), "unseen")
                count.set_visibility(False)
                self._counts[counted].append((count, number))

    def point_to(self, section: str) -> None:
        """Mark a page and its area, and show the pages of that area."""
        current = next((area for area, names in PLACES.items() if section in names), None)
        for name, place in self._places.items():
            place.props.set_optional("aria-current", "page" if name == section else None)
        for name, place in self._areas.items():
            is_here = name == (current or HOME)
            place.props.set_optional("aria-current", ("page" if name == HOME else "true") if is_here else None)
        for area, group in self._groups.items():
            group.set_visibility(area == current)

    def show_counts(self, items: Iterable[AttentionItem]) -> None:
        """Show how much of what needs a person belongs to each area."""
        for area, count in count_by_area(items).items():
            shown = str(count) if count <= MAX_COUNT else f"{MAX_COUNT}+"
            for badge, number in self._counts[area]:
                number.text = shown
                badge.set_visibility(count > 0)
