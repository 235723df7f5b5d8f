"""The widgets of all pages: headings, panels, pills, tables, errors.

Shows what was or will be sent.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.element import Element
from nicegui.elements.mixins.text_element import TextElement

from connector.core.data.fields import Field
from connector.core.errors import KontorError, OutcomeUnknown
from connector.interfaces.console.frame.input_facts import InputFacts, Lines
from connector.interfaces.console.localizer import Localizer


class TextWidget(TextElement):
    """An HTML element with text."""

    def __init__(self, tag: str, text: str, classes: str = "") -> None:
        super().__init__(tag=tag, text=text)
        if classes:
            self.classes(classes)


def heading(level: int, text: str, classes: str = "") -> TextWidget:
    """Create a heading."""
    return TextWidget(f"h{level}", text, classes)


def paragraph(text: str, classes: str = "") -> TextWidget:
    """Create a paragraph."""
    return TextWidget("p", text, classes)


def box(classes: str, tag: str = "div") -> Element:
    """Create a container element."""
    return ui.element(tag).classes(classes)


def panel(title: str, classes: str = "", *, level: int = 2) -> Element:
    """Create a titled section."""
    section = box(f"panel {classes}", "section")
    with section:
        heading(level, title, "panel-title")
    return section


def pill(text: str, tone: str = "") -> TextWidget:
    """Create a label; its tone is `good`, `warn`, `bad`, `accent` or empty."""
    return TextWidget("span", text, f"pill {tone}")


def link(text: str, target: str, classes: str = "link") -> TextWidget:
    """Create a link; external ones open in a new tab."""
    found = TextWidget("a", text, classes)
    found.props["href"] = target
    if target.startswith("http"):
        found.props["target"], found.props["rel"] = "_blank", "noopener noreferrer"
    return found


def button(text: str, action: Callable[..., Any], tone: str = "") -> ui.button:
    """Create a button; its tone is `primary`, `danger` or empty."""
    made = ui.button(text, on_click=action).props("no-caps unelevated dense").classes(f"action {tone}")
    return made if "primary" in tone.split() else made.props("outline")


def live_region(classes: str = "") -> Element:
    """Create an ARIA live region for results."""
    return box(f"live {classes}").props('role="status" aria-live="polite"')


def keep_current(
    place: Element,
    refresh: Callable[[], Awaitable[None]],
    seconds: float | None = None,
    *,
    first: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """Fill a place as soon as the page is connected, and again every few seconds; until it is filled, it is busy."""
    place.props["aria-busy"] = "true"

    async def fill() -> None:
        try:
            await (first or refresh)()
        finally:
            place.props(remove="aria-busy")

    ui.timer(0.1, fill, once=True)
    if seconds is not None:
        ui.timer(seconds, refresh)


def empty_note(text: str) -> TextWidget:
    """Create a note for an empty list."""
    return paragraph(text, "quiet")


def unknown_run(error: KontorError) -> str | None:
    """Return the id of the run that a person must settle, if the error is about one."""
    about_one = isinstance(error, OutcomeUnknown) or error.reason == "equals_unknown"
    run = error.details.get("run") if about_one and isinstance(error.details, dict) else None
    return str(run) if run else None


def show_error(error: KontorError, localize: Localizer, more: Callable[[], None] | None = None) -> Element:
    """Show an error with its remedy."""
    with box("notice bad").props('role="alert"') as notice:
        TextWidget("strong", localize.of(error.message))
        paragraph(f"→ {localize.of(error.remedy)}")
        if error.retry_at is not None:
            paragraph(localize("retry_at", at=localize.date_time(error.retry_at)), "quiet")
        if error.reconnect_url and error.reconnect_url.startswith(("https://", "http://")):
            link(localize("reconnect"), error.reconnect_url)
        if more is not None:
            more()
    return notice


def show_problems(
    errors: Sequence[KontorError],
    fields: Iterable[Field],
    localize: Localizer,
    lead: Callable[[str], None] | None = None,
) -> None:
    """List everything that is wrong with a form, by the labels of its fields; `lead` leads to the field of a path."""
    labels = {field.name: localize.of(field.label) for field in fields}
    with box("notice bad").props('role="alert"'):
        TextWidget(
            "strong", localize("form_problems", count=len(errors)) if len(errors) > 1 else localize("form_problem")
        )
        with box("", "ul"):
            for error in errors:
                label = labels.get((error.field or "").partition("[")[0].partition(".")[0], "")
                text = localize.of(error.message)
                text = text if not label or label in text else f"{label}: {text}"
                if lead is None or not error.field:
                    TextWidget("li", text)
                    continue
                with ui.element("li"):
                    jump = link(text, "#")
                    jump.on("click.prevent", partial(lead, error.field))


def show_lines(lines: Lines) -> None:
    """Show the lines of a list as a table."""
    with box("table-frame").props('tabindex="0" role="region"') as frame, box("grid", "table"):
        frame.props["aria-label"] = lines.label
        with ui.element("thead"), ui.element("tr"):
            for index, head in enumerate(lines.heads):
                TextWidget("th", head, "number" if index in lines.numeric else "").props('scope="col"')
        with ui.element("tbody"):
            for row in lines.rows:
                with ui.element("tr"):
                    for index, cell in enumerate(row):
                        table_cell(cell, lines.heads[index], "number" if index in lines.numeric else "")


def table_cell(text: str, head: str, classes: str = "") -> None:
    """Create a cell of a table; on a phone, where the heads are not seen, it says its own."""
    TextWidget("td", text, classes).props["data-head"] = head


def definition_list(rows: Mapping[str, str] | Sequence[tuple[str, str]]) -> None:
    """Show names and values as a definition list."""
    with box("facts", "dl"):
        for name, value in rows.items() if isinstance(rows, Mapping) else rows:
            TextWidget("dt", name)
            TextWidget("dd", value)


def code_block(text: str, localize: Localizer) -> None:
    """Show a code block with a copy button."""
    with box("code-frame"):
        copy_button(text, localize, localize("copy")).classes("copy")
        with box("code-scroll").props('tabindex="0"'):
            TextWidget("pre", text, "code")


def copy_button(text: str, localize: Localizer, name: str, *, icon: bool = False) -> ui.button:
    """Create a button that copies a text; `name` says which, where there are several; as an icon it has no words."""
    made = button("" if icon else localize("copy"), lambda: _copy(text, localize), "small plain" if icon else "small")
    made.props["aria-label"] = name
    if icon:
        made.props("icon=content_copy").props["title"] = name
        made.classes("copy-icon")
    return made


def _copy(text: str, localize: Localizer) -> None:
    ui.clipboard.write(text)
    ui.notify(localize("copied"), type="positive", position="bottom", timeout=1500)


def flex_row(classes: str = "") -> Element:
    """Create a row of elements that wraps."""
    return box(f"abreast {classes}")


def show_facts(facts: InputFacts, nothing: str = "") -> None:
    """Show inputs: plain ones as a list, lists of objects as tables."""
    if facts.facts:
        definition_list(facts.as_rows())
    for lines in facts.lines:
        show_lines(lines)
    if not facts.facts and not facts.lines and nothing:
        empty_note(nothing)
