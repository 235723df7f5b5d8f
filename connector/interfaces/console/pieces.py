"""The small pieces that all pages are made of: headings, panels, pills, tables, errors with their remedy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from connector.core.errors import KontorError, OutcomeUnknown
from connector.interfaces.console.localizer import Localizer
from connector.interfaces.console.views import Table


class Text(TextElement):
    """Text in any HTML element."""

    def __init__(self, tag: str, text: str, classes: str = "") -> None:
        super().__init__(tag=tag, text=text)
        if classes:
            self.classes(classes)


def heading(level: int, text: str, classes: str = "") -> Text:
    """A heading."""
    return Text(f"h{level}", text, classes)


def paragraph(text: str, classes: str = "") -> Text:
    """A paragraph."""
    return Text("p", text, classes)


def box(classes: str, tag: str = "div") -> Element:
    """A plain element that holds others."""
    return ui.element(tag).classes(classes)


def panel(title: str, classes: str = "", *, level: int = 2) -> Element:
    """A titled section of a page."""
    section = box(f"panel {classes}", "section")
    with section:
        heading(level, title, "panel-title")
    return section


def pill(text: str, tone: str = "") -> Text:
    """A short word in a frame; its tone is `good`, `warn`, `bad`, `accent` or nothing."""
    return Text("span", text, f"pill {tone}")


def link(text: str, target: str, classes: str = "link") -> Text:
    """A link within the console, or to elsewhere in a tab of its own."""
    found = Text("a", text, classes)
    found.props["href"] = target
    if target.startswith("http"):
        found.props["target"], found.props["rel"] = "_blank", "noopener noreferrer"
    return found


def button(text: str, action: Callable[..., Any], tone: str = "") -> ui.button:
    """A button; `primary`, `danger` or plain."""
    made = ui.button(text, on_click=action).props("no-caps unelevated dense").classes(f"action {tone}")
    return made if "primary" in tone.split() else made.props("outline")


def live_region(classes: str = "") -> Element:
    """Where results appear: a screen reader speaks them when they come."""
    return box(f"live {classes}").props('role="status" aria-live="polite"')


def empty(text: str) -> Text:
    """What stands where there is nothing."""
    return paragraph(text, "quiet")


def show_error(error: KontorError, localize: Localizer, more: Callable[[], None] | None = None) -> Element:
    """An error as people need it: what happened, what to do about it, and where."""
    with box("notice bad").props('role="alert"') as notice:
        Text("strong", localize.of(error.message))
        paragraph(f"→ {localize.of(error.remedy)}")
        if isinstance(error, OutcomeUnknown):
            paragraph(localize("console_outcome_unknown"), "quiet")
        if error.retry_at is not None:
            paragraph(localize("retry_at", at=localize.moment(error.retry_at)), "quiet")
        if error.reconnect_url and error.reconnect_url.startswith(("https://", "http://")):
            link(localize("reconnect"), error.reconnect_url)
        if more is not None:
            more()
    return notice


def show_table(table: Table, localize: Localizer, caption: str) -> None:
    """A table that scrolls sideways where it must, numbers flush right."""
    with box("table-frame").props('tabindex="0" role="region"') as frame, box("grid", "table"):
        frame.props["aria-label"] = caption
        with ui.element("thead"), ui.element("tr"):
            for name in table.columns:
                Text("th", name, "number" if name in table.right else "").props('scope="col"')
        with ui.element("tbody"):
            for row in table.rows:
                with ui.element("tr"):
                    for name in table.columns:
                        Text("td", localize.cell(row[name], name, row), "number" if name in table.right else "")
    if table.left_out:
        empty(localize("rows_left_out", count=table.left_out))


def facts(rows: Mapping[str, str]) -> None:
    """Names and values, one below the other."""
    with box("facts", "dl"):
        for name, value in rows.items():
            Text("dt", name)
            Text("dd", value)


def code(text: str, localize: Localizer) -> None:
    """A block of code with a button that copies it."""
    with box("code-frame"):
        copy = button(localize("copy"), lambda: _copied(text, localize), "small copy")
        copy.props["aria-label"] = localize("copy")
        with box("code-scroll").props('tabindex="0"'):
            Text("pre", text, "code")


def _copied(text: str, localize: Localizer) -> None:
    ui.clipboard.write(text)
    ui.notify(localize("copied"), type="positive", position="bottom", timeout=1500)


def abreast(classes: str = "") -> Element:
    """Elements side by side, wrapping where there is no room."""
    return box(f"abreast {classes}")
