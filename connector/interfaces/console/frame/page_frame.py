"""The layout of every page: header, navigation, language and theme, and a notice when the host is away."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlencode, urlsplit

from nicegui import ui
from nicegui.element import Element

from connector.core.callers import HOST, Actor
from connector.core.errors import KontorError
from connector.core.messages import LANGUAGES, Text
from connector.core.service import environment
from connector.interfaces.console.console_context import ConsoleContext
from connector.interfaces.console.frame.navigation import Navigation
from connector.interfaces.console.frame.widgets import TextWidget, box, heading, link
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.console.login.content_policy import script
from connector.interfaces.console.login.middleware import SCOPE_KEY, THEMES, localizer_of, theme_of

ASK_SECONDS = 1.5
PATIENCE_SECONDS = 4.0
"""How long NiceGUI may take to connect again by itself before the host is asked for."""
KEPT_SECONDS = 600.0
"""How long the host keeps a page whose browser is not heard of; with it, what was typed on it."""
CONNECTION, DRAFTS = (
    (Path(__file__).parents[1] / name).read_text(encoding="utf-8")
    for name in ("frame/connection.js", "forms/drafts.js")
)


def owner_of(actor: Actor, chosen_workspace: str | None) -> str:
    """Return whose drafts, in which workspace, a browser shows: a digest that says nothing of the person."""
    parts = json.dumps([actor.workspace or chosen_workspace, actor.name, actor.person])
    return hashlib.sha256(parts.encode()).hexdigest()[:16]


def add_connection_notice(console_url: str, localize: Localizer, owner: str) -> None:
    """Add the notice and the drafts to the page that is being built; `console_url` ends with a slash."""
    root = console_url.rstrip("/").rpartition("/")[0]
    said = {
        "title": localize("connection_lost"),
        "more": localize("connection_lost_more"),
        "health": f"{root}/healthz",
        "ask": int(ASK_SECONDS * 1000),
        "patience": int(PATIENCE_SECONDS * 1000),
        "owner": owner,
    }
    quoted = json.dumps(said).replace("</", "<\\/")
    add_script(f"window.kontorConnection = {quoted}; {CONNECTION} {DRAFTS}")


def add_script(code: str) -> None:
    """Add a script to the page that is being built."""
    ui.add_head_html(script(ui.context.client.request, code))


STYLES = ("console.css", "navigation.css", "phone.css")
STYLE = "\n".join((Path(__file__).parent / name).read_text(encoding="utf-8") for name in STYLES)
EVENT_ORDER = (Path(__file__).parent / "event_order.js").read_text(encoding="utf-8")
LATE_LISTS = (Path(__file__).parent / "late_lists.js").read_text(encoding="utf-8")
COUNT_SECONDS = 5.0
"""How often an open page asks how much needs a person."""
SKIP_TO = "#main"
BUILD_SECONDS = 30.0
"""How long a page may take to be built: NiceGUI gives up after three seconds, and a busy host may need more."""
DARK_MODE = {"auto": None, "light": False, "dark": True}


@dataclass(frozen=True, slots=True)
class Page:
    """An open page: the console it belongs to and the user's language."""

    console: ConsoleContext
    localize: Localizer
    switches: list[tuple[Element, str]] = field(default_factory=list, compare=False)
    """Links that come back to this page, each with its target; the one that skips the navigation has none."""
    navigation: list[Navigation] = field(default_factory=list, compare=False)
    """The navigation, once it is built."""

    def url(self, section: str) -> str:
        """Return the URL of a console section."""
        return f"{self.console.path}/{section}".rstrip("/") if section else f"{self.console.path}/"

    def move_to(self, section: str) -> None:
        """Give the open page another address, to which a reload and a switch of language come back."""
        address = self.url(section)
        for link_, _ in self.switches[:1]:
            link_.client.run_javascript(f"history.replaceState(history.state, '', {json.dumps(address)})")
        self.point_to(urlsplit(section).path.partition("/")[0], address)

    def point_to(self, section: str, address: str) -> None:
        """Mark a section in the navigation, and let the links that come back to this page come back to an address."""
        for navigation in self.navigation:
            navigation.point_to(section)
        for link_, target in self.switches:
            link_.props["href"] = f"{target}?{urlencode({'from': address})}" if target else f"{address}{SKIP_TO}"

    async def show_counts(self, *, fresh: bool = False) -> None:
        """Show in the navigation how much needs a person now."""
        with suppress(KontorError):  # signed out
            items = await self.console.attention(fresh=fresh)
            for navigation in self.navigation:
                navigation.show_counts(items)


def current_console() -> ConsoleContext:
    """Return the console of the page being built."""
    console: ConsoleContext = ui.context.client.request.scope[SCOPE_KEY]
    return console


def page_at(path: str) -> ui.page:
    """Declare the function below as the page at a path of the console."""
    return ui.page(path, response_timeout=BUILD_SECONDS, reconnect_timeout=KEPT_SECONDS)


@contextmanager
def page_frame(section: str, title: Text | None = None) -> Iterator[Page]:
    """Build the layout; elements created inside the `with` block become the page's content."""
    request = ui.context.client.request
    console = current_console()
    localize, theme = localizer_of(request), theme_of(request)
    page = Page(console, localize)
    title_text = localize.of(title) if title else localize(f"place_{section}")
    ui.page_title(f"{title_text} – Kontor")
    ui.dark_mode(DARK_MODE[theme])
    ui.colors(primary="#14545c", positive="#2c6e49", negative="#a3271d", warning="#8a5a00", dark="#1d2326")
    ui.add_head_html(f"<style>{STYLE}</style>")  # add_css writes a script, without the mark
    ui.context.client.content.classes("console")
    _drop_outer_landmark(ui.context.client.content)
    add_script(f"document.documentElement.lang = '{localize.lang}'")
    add_script(EVENT_ORDER)
    add_script(LATE_LISTS)
    _speak_to_widgets(localize.lang)
    add_connection_notice(page.url(""), localize, owner_of(console.actor, console.chosen_workspace))
    page.switches.append((link(localize("skip"), SKIP_TO, "skip"), ""))
    _build_header(page, theme)
    page.point_to(section, f"{request.url.path}?{request.url.query}".removesuffix("?"))
    with box("main", "main").props('id="main" tabindex="-1"'):
        heading(1, title_text)
        yield page
    console.open_pages.opened(ui.context.client, request.url.path, (localize.lang, theme))


def _build_header(page: Page, theme: str) -> None:
    localize = page.localize
    with box("top", "header"):
        link("Kontor", page.url(""), "brand")
        if page.console.state.sandboxed:
            TextWidget("span", localize("sandbox_badge"), "badge")
        navigation = Navigation(localize, page.url, sandboxed=page.console.state.sandboxed)
        page.navigation.append(navigation)
        navigation.show_counts(page.console.shown_attention)
        _build_identity(page)
        with box("switches"):
            _build_switches(page, theme)
        with box("menu", "details"):  # on a phone, in place of the switches
            TextWidget("summary", localize("menu"))
            with box("menu-items"):
                _build_switches(page, theme)
    ui.timer(0.1, page.show_counts, once=True)
    ui.timer(COUNT_SECONDS, page.show_counts)


def is_default(workspace: str) -> bool:
    """Whether it is the workspace of whoever names none."""
    return workspace == environment.default("KONTOR_WORKSPACE")


def _build_identity(page: Page) -> None:
    """Show who is signed in, with which role and in which workspace."""
    actor, localize = page.console.actor, page.localize
    with box("who") as who:
        who.props["aria-label"] = localize("who_title")
        who.props["role"] = "group"
        TextWidget(
            "strong", actor.person or localize("who_host" if actor.name == HOST.name else "who_token", name=actor.name)
        )
        TextWidget("span", localize(f"role_{actor.role}_name"), "who-role")
        where = link(actor.workspace or page.console.chosen_workspace or "", page.url("workspaces"), "who-workspace")
        where.props["title"] = localize("who_workspace")

    async def name_workspace() -> None:
        with suppress(KontorError):  # signed out
            name = await page.console.workspace()
            where.text = page.localize("who_default") if is_default(name) else name

    if actor.workspace is None:
        ui.timer(0.1, name_workspace, once=True)


def _build_switches(page: Page, theme: str) -> None:
    localize = page.localize
    for lang in LANGUAGES:
        name = Localizer(lang)("language_name")
        _switch_link(name, f"language/{lang}", localize.lang == lang, page, lang)
    next_theme = THEMES[(THEMES.index(theme) + 1) % len(THEMES)]
    target = page.url(f"theme/{next_theme}")
    item = link(localize(f"theme_{theme}"), target, "switch")
    page.switches.append((item, target))
    item.props["title"] = localize("theme_switch")
    link(localize("leave"), page.url("leave"), "switch")


def _switch_link(text: str, target: str, chosen: bool, page: Page, lang: str) -> None:
    item = link(text, page.url(target), "switch")
    page.switches.append((item, page.url(target)))
    item.props["lang"] = lang
    if chosen:
        item.props["aria-current"] = "true"


def _speak_to_widgets(lang: str) -> None:
    """Let Quasar name its own buttons in this language too; a page of NiceGUI has one language for all visitors."""
    if lang != "en":
        client = ui.context.client
        client.page = copy(client.page)
        client.page.language = cast(Any, lang)


def _drop_outer_landmark(content: Element) -> None:
    """Make a plain box of what NiceGUI puts around every page, which would be a second main landmark."""
    if content.parent_slot is not None:
        content.parent_slot.parent.tag = "div"
