"""Everything that an answer says of one row: in words, with ids to copy, and what it leads to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from nicegui import ui

from connector.core.manifest.output_fields import OutputField
from connector.interfaces.console.figures.table_model import Names
from connector.interfaces.console.frame.input_facts import Lines
from connector.interfaces.console.frame.page_frame import Page
from connector.interfaces.console.frame.widgets import TextWidget, box, button, copy_button, flex_row, link, show_lines
from connector.interfaces.result_text import ResultText

EMPTY_VALUES: tuple[Any, ...] = (None, "", [], {})


class RowLink(NamedTuple):
    """A page that a row leads to."""

    name: str
    target: str


@dataclass(frozen=True, slots=True)
class RowFact:
    """One field of a row: what it is called, its value, and what is copied where it is for machines too."""

    label: str
    value: str
    copied: str | None = None


def row_facts(
    text: ResultText, row: Mapping[str, Any], names: Names | None = None, *, keep_empty: bool = False
) -> list[RowFact]:
    """Return what a row says, field by field, what is for machines last.

    What is empty is left out, lists of objects stand apart.
    """
    fields = [one for one in _plain(text, row, "", "") if keep_empty or one[2] not in EMPTY_VALUES]
    fields.sort(key=lambda one: text.is_id(one[0]))
    return [_fact(text, path, label, value, names or {}) for path, label, value in fields]


def row_lists(text: ResultText, row: Mapping[str, Any]) -> list[Lines]:
    """Return the lists of objects in a row, as tables."""
    found = []
    for name, value in row.items():
        field = text.field(name)
        if isinstance(value, list) and value and field is not None and field.fields:
            found.append(_lines(text, name, field, [item for item in value if isinstance(item, Mapping)]))
    return found


def _plain(text: ResultText, row: Mapping[str, Any], path: str, above: str) -> Iterator[tuple[str, str, Any]]:
    """Yield path, label and value of every field, those inside objects too."""
    for name, value in row.items():
        place = f"{path}{name}"
        field, label = text.field(place), text.label(place)
        if isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
            continue
        if isinstance(value, Mapping) and text.balance(value) is None and field is not None and field.fields:
            yield from _plain(text, value, f"{place}.", f"{label}: ")
        else:
            yield place, f"{above}{label}", value


def _fact(text: ResultText, path: str, label: str, value: Any, names: Names) -> RowFact:
    shown = text.value(value, path)
    if not (text.is_id(path) or text.is_iban(path)) or not isinstance(value, str):
        return RowFact(label, shown)
    named = names.get(path, {}).get(value)
    return RowFact(label, shown if named is None else f"{named} ({shown})", value)


def _lines(text: ResultText, name: str, field: OutputField, items: Sequence[Mapping[str, Any]]) -> Lines:
    columns = [one.name for one in field.fields if any(item.get(one.name) not in (None, "") for item in items)]
    rows = tuple(tuple(text.value(item.get(one), f"{name}.{one}", item) for one in columns) for item in items)
    numeric = frozenset(at for at, one in enumerate(columns) if any(text.is_number(item.get(one)) for item in items))
    return Lines(name, text.label(name), tuple(text.labels(f"{name}.{one}" for one in columns)), rows, numeric)


def show_facts_to_copy(page: Page, facts: Sequence[RowFact]) -> None:
    """Show facts, those for machines with a button that copies them."""
    localize = page.localize
    with box("facts", "dl"):
        for fact in facts:
            TextWidget("dt", fact.label)
            with box("fact", "dd"):
                TextWidget("span", fact.value, "wrap" if fact.copied is None else "wrap exact")
                if fact.copied is not None:
                    copy_button(fact.copied, localize, localize("row_copy", label=fact.label), icon=True)


def show_row(
    page: Page,
    text: ResultText,
    row: Mapping[str, Any],
    title: str,
    links: Sequence[RowLink] = (),
    names: Names | None = None,
) -> None:
    """Open everything that is known of a row, over the page; closed, the focus is back where it was."""
    localize = page.localize
    with ui.dialog(value=True).props("transition-duration=100") as dialog:
        dialog.on("hide", dialog.delete)  # not before: until then it gives the focus back
        dialog.props["aria-label"] = f"{localize('table_details')}: {title}"
        with box("console row-dialog"), box("panel", "section"):
            with flex_row("row-head"):
                TextWidget("h2", title, "panel-title")
                button(localize("row_close"), dialog.close, "small plain")
            if links:
                with flex_row("row-links"):
                    for one in links:
                        link(one.name, one.target, "button")
            show_facts_to_copy(page, row_facts(text, row, names))
            for lines in row_lists(text, row):
                TextWidget("h3", lines.label)
                show_lines(lines)
