"""The frame around every page: name, navigation, language, theme, and who is let in to what."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nicegui import ui

from connector.core.messages import LANGUAGES, Text
from connector.interfaces.console.desk import Desk
from connector.interfaces.console.gate import DESK, THEMES, localizer_of, theme_of
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.console.pieces import Text as TextPiece
from connector.interfaces.console.pieces import box, heading, link

STYLE = (Path(__file__).parent / "console.css").read_text(encoding="utf-8")
PLACES = ("overview", "actions", "triggers", "sandbox", "exports", "doctor")
DARK = {"auto": None, "light": False, "dark": True}


@dataclass(frozen=True, slots=True)
class Visit:
    """One opened page: the desk it works with, its visitor's language, and where links lead."""

    desk: Desk
    localize: Localizer

    def to(self, place: str) -> str:
        """The address of a place of the console."""
        return f"{self.desk.path}/{place}".rstrip("/") if place else f"{self.desk.path}/"


def desk_here() -> Desk:
    """The desk of the console that the page being built belongs to."""
    desk: Desk = ui.context.client.request.scope[DESK]
    return desk


@contextmanager
def page(place: str, title: Text | None = None) -> Iterator[Visit]:
    """Builds the frame; what is made inside of the `with` block stands on the page."""
    request = ui.context.client.request
    desk = desk_here()
    localize, theme = localizer_of(request), theme_of(request)
    visit = Visit(desk, localize)
    shown = localize.of(title) if title else localize(f"place_{place}")
    ui.page_title(f"{shown} – Kontor")
    ui.dark_mode(DARK[theme])
    ui.colors(primary="#14545c", positive="#2c6e49", negative="#a3271d", warning="#8a5a00", dark="#1d2326")
    ui.add_css(STYLE)
    ui.context.client.content.classes("console")
    ui.add_head_html(f"<script>document.documentElement.lang = '{localize.lang}'</script>")
    here = request.url.path
    skip = link(localize("skip"), "#main", "skip")
    skip.props["href"] = f"{here}#main"
    _header(visit, place, here, theme)
    with box("main", "main").props('id="main" tabindex="-1"'):
        heading(1, shown)
        yield visit


def _header(visit: Visit, place: str, here: str, theme: str) -> None:
    localize = visit.localize
    with box("top", "header"):
        link("Kontor", visit.to(""), "brand")
        if visit.desk.state.sandboxed:
            TextPiece("span", localize("sandbox_badge"), "badge")
        with box("places", "nav") as nav:
            nav.props["aria-label"] = localize("navigation")
            for name in PLACES:
                if name == "sandbox" and not visit.desk.state.sandboxed:
                    continue
                item = link(localize(f"place_{name}"), visit.to("" if name == "overview" else name), "place")
                if name == place:
                    item.props["aria-current"] = "page"
        with box("switches"):
            for lang in LANGUAGES:
                name = Localizer(lang)("language_name")
                _switch(name, f"language/{lang}", localize.lang == lang, visit, here, lang)
            following = THEMES[(THEMES.index(theme) + 1) % len(THEMES)]
            item = link(localize(f"theme_{theme}"), f"{visit.to(f'theme/{following}')}?from={here}", "switch")
            item.props["title"] = localize("theme_switch")
            link(localize("leave"), visit.to("leave"), "switch")


def _switch(text: str, target: str, chosen: bool, visit: Visit, here: str, lang: str) -> None:
    item = link(text, f"{visit.to(target)}?from={here}", "switch")
    item.props["lang"] = lang
    if chosen:
        item.props["aria-current"] = "true"
