"""A list field as a grid of lines, each column a field, with paste, keyboard and a running sum."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from connector.core.data.fields import Field
from connector.core.manifest.formats import Format
from connector.core.messages import LANGUAGES, Text
from connector.interfaces.console.forms.form_layout import NUMERIC_TYPES
from connector.interfaces.console.forms.form_model import (
    Draft,
    FieldReader,
    Sum,
    SumRule,
    compute_sum,
    empty_draft,
    inputs_of,
)
from connector.interfaces.console.forms.form_parts import FormAccess, help_button, opens
from connector.interfaces.console.frame.widgets import TextWidget, box, button, definition_list, flex_row

SEPARATORS = ("\t", ";", ",")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a grid: a field of the line, or one inside an object of the line."""

    field: Field
    inside: tuple[str, ...]
    """The names of the objects that hold the field."""
    label: Text
    advanced: bool = False

    @property
    def path(self) -> str:
        """The place of the field in its line, with dots."""
        return ".".join((*self.inside, self.field.name))


@dataclass(frozen=True, slots=True)
class Pasted:
    """The lines of a pasted text, each by the path of its columns."""

    lines: tuple[Mapping[str, str], ...]
    left_out: tuple[str, ...] = ()
    """Heads of the text that are no column of the grid."""


def columns_of(fields: Iterable[Field]) -> tuple[Column, ...]:
    """Return the columns of a line; none where a field cannot stand in one cell."""
    found: list[Column] = []
    for field in fields:
        if field.internal:
            continue
        if field.type in ("list", "file") or (field.type == "object" and not field.fields):
            return ()
        is_advanced = field.presence == "advanced"
        if field.type != "object":
            found.append(Column(field, (), field.label, is_advanced))
            continue
        inner = columns_of(field.fields)
        if not inner:
            return ()
        for column in inner:
            label = Text(*(f"{field.label.in_(lang)}: {column.label.in_(lang)}" for lang in LANGUAGES))
            place = (field.name, *column.inside)
            found.append(Column(column.field, place, label, is_advanced or column.advanced))
    return tuple(found)


def read_paste(text: str, columns: Sequence[Column], start: int = 0) -> Pasted:
    """Read the rows of a spreadsheet: by their heads where the first row has some, else from column `start` on."""
    rows = _rows(text, columns)
    heads = [_column_named(cell, columns) for cell in rows[0]] if rows else []
    if _is_head(heads):
        left_out = tuple(cell.strip() for cell, known in zip(rows[0], heads, strict=True) if known is None)
        places: Sequence[Column | None] = heads
        rows = rows[1:]
    else:
        left_out, places = (), columns[start:]
    lines = [
        {column.path: cell.strip() for column, cell in zip(places, row, strict=False) if column is not None}
        for row in rows
    ]
    return Pasted(tuple(line for line in lines if any(line.values())), tuple(one for one in left_out if one))


def _is_head(heads: Sequence[Column | None]) -> bool:
    known = [column for column in heads if column is not None]
    return len(known) * 2 > len(heads) - 1 and bool(known)


def _rows(text: str, columns: Sequence[Column]) -> list[list[str]]:
    """Split by tabs, else by semicolons; by commas only under a row of heads: a comma may stand in an amount."""
    for separator in SEPARATORS:
        rows = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if any(map(str.strip, row))]
        if not rows or max(map(len, rows)) < 2:
            continue
        if separator != "," or _is_head([_column_named(cell, columns) for cell in rows[0]]):
            return rows
    return [[line] for line in text.splitlines() if line.strip()]


def _column_named(head: str, columns: Sequence[Column]) -> Column | None:
    """Find a column by its label in either language, or by its name."""
    wanted = _plain(head)
    for column in columns:
        names = (*column.label, *column.field.label, column.field.name, column.path, *column.field.aliases)
        if wanted and wanted in map(_plain, names):
            return column
    return None


def _plain(head: str) -> str:
    return "".join(sign for sign in head.casefold() if sign.isalnum())


class CellReader:
    """Reads the cells of a grid, each as the form's converter will."""

    def __init__(self, columns: Iterable[Column], outer: Iterable[Field], formats: Mapping[str, Format]) -> None:
        outer = tuple(outer)
        self._readers = {column.path: FieldReader(column.field, outer, formats) for column in columns}

    def problem(self, column: Column, text: Any, draft: Mapping[str, Any]) -> Text | None:
        """Return why the cell cannot be sent, if so; `draft` is the whole form's."""
        return self._readers[column.path].problem(text, draft)

    def tidied(self, column: Column, text: str, draft: Mapping[str, Any], lang: str) -> Any:
        """Return a pasted text as the cell shows it; what cannot be read stays as it is."""
        return self._readers[column.path].tidied(text, draft, lang)


class RunningSum:
    """Shows the sum of the lines, how far it is from the total, and what an empty total will be."""

    def __init__(self, form: FormAccess, rule: SumRule) -> None:
        self._form, self._rule = form, rule
        self._derives = any(field.name == rule.amount and field.derived for field in form.fields)
        self._status = TextWidget("div", "", "sum").props('role="status" aria-live="polite"')
        self._use = button(form.page.localize("use_sum"), self._apply, "small")

    def show(self) -> None:
        """Show the sum as the lines are now."""
        found = compute_sum(self._rule, self._form.draft)
        self._use.set_visibility(bool(found.difference) and not found.unreadable)
        self._status.text, tone = self._words(found)
        self._status.classes(replace=f"sum {tone}")
        self._show_derived(found)

    def _apply(self) -> None:
        total = self._form.widget(self._rule.amount)
        if total is not None:
            total.value = f"{compute_sum(self._rule, self._form.draft).lines:f}"

    def _show_derived(self, found: Sum) -> None:
        """Show in the empty field of the total what it will be."""
        total = self._form.widget(self._rule.amount)
        if total is None or not self._derives:
            return
        is_known = found.expected is None and not found.unreadable and found.lines
        localize = self._form.page.localize
        shown = localize("sum_derived", total=localize.amount(found.lines)) if is_known else ""
        if total.props.get("placeholder", "") != shown:
            total.props["placeholder"] = shown
            total.update()

    def _words(self, found: Sum) -> tuple[str, str]:
        localize = self._form.page.localize
        currency = str(self._form.draft.get(self._rule.currency or "") or "")
        if found.unreadable:
            return localize("sum_unreadable", lines=", ".join(map(str, found.unreadable))), "bad"
        total = f"{localize.amount(found.lines)} {currency}".strip()
        if found.difference is None:
            return localize("sum_is_total" if self._derives and found.lines else "sum", total=total), ""
        if not found.difference:
            return localize("sum_fits", total=total), "good"
        difference = f"{localize.amount(found.difference)} {currency}".strip()
        return localize("sum_differs", total=total, difference=difference), "bad"


WIDTHS = {
    "money": "minmax(7rem, 1.1fr)",
    "number": "minmax(4.5rem, .7fr)",
    "boolean": "minmax(4rem, .6fr)",
    "iban": "minmax(15.5rem, 2fr)",
}
"""How wide a column is, by the kind of what stands in it."""


def _kind(field: Field) -> str:
    return "iban" if field.format == "iban" else field.type


# Enter goes to the next line and adds one below the last; the arrows stay in their column, as in a spreadsheet. On the
# last line, while it is empty, Enter is left to the form, so the keys are looked at before the fields see them.
KEYS = """(event) => {
  const cell = event.target.closest('[data-cell]');
  const step = {Enter: 1, ArrowDown: 1, ArrowUp: -1}[event.key];
  if (!cell || !step || event.target.tagName !== 'INPUT' || event.ctrlKey || event.metaKey || event.isComposing) return;
  if (event.target.getAttribute('role') === 'combobox') return;
  const [line, column] = cell.dataset.cell.split(':').map(Number);
  const grid = event.currentTarget;
  const next = grid.querySelector(`[data-cell="${line + step}:${event.key === 'Enter' ? 0 : column}"] input`);
  if (!next && event.key !== 'Enter') return;
  const filled = [...cell.parentElement.querySelectorAll('input')].some((one) => one.value.trim());
  if (!next && !filled) return;
  event.preventDefault();
  event.stopPropagation();
  if (next) { next.focus(); next.select(); } else { emit('add'); }
}"""
# One word is pasted by the browser; rows of a spreadsheet go into the grid where they are pasted, or from anywhere in a
# form into its only one.
PASTE = """(event) => {
  const text = event.clipboardData.getData('text/plain');
  if (!/[\\t]|\\S\\r?\\n\\s*\\S/.test(text) || event.target.tagName === 'TEXTAREA') return;
  const own = document.getElementById('%s'), meant = event.target.closest('.line-grid');
  if (meant ? meant !== own : event.currentTarget.querySelectorAll('.line-grid').length > 1) return;
  event.preventDefault();
  emit(text, event.target.closest('[data-cell]')?.dataset.cell ?? '');
}"""
FOCUS = "requestAnimationFrame(() => document.querySelector('%s')?.focus())"


class LineItems:
    """The line items of one list field."""

    def __init__(self, form: FormAccess, field: Field, path: str, lines: list[Draft], sum_rule: SumRule | None) -> None:
        self._form, self._field, self._path, self._lines = form, field, path, lines
        self._columns = columns_of(field.fields)
        formats = form.page.console.connector.library.formats
        self._reader = CellReader(self._columns, form.fields, formats)
        localize = form.page.localize
        with box("fieldset lines", "fieldset"):
            with TextWidget("legend", localize.of(field.label) + (" *" if field.required else "")):
                opener = help_button(localize.of(field.label), localize)
            self._build_help(opener)
            self._container: Element = box("line-items")
            with flex_row("line-actions"):
                add = button(localize("line_add"), self._add, "small add-line")
                add.props["aria-label"] = f"{localize('line_add')}: {localize.of(field.label)}"
                if any(column.advanced for column in self._columns):
                    more = button(localize("line_more_columns"), self._toggle_more, "small plain")
                    more.props["aria-expanded"] = "false"
                    self._more = more
                self._sum = RunningSum(form, sum_rule) if sum_rule is not None else None
            self._pasted = TextWidget("div", "", "hint").props('role="status" aria-live="polite"')
        if self._columns:
            self._container.classes("line-grid").on("keydown.capture", self._add, js_handler=KEYS)
            self._container.style(f"--columns: {self._widths(False)}; --all-columns: {self._widths(True)}")
            form.root.on("paste", self._on_paste, js_handler=PASTE % self._container.html_id)
        self._build()

    def _build_help(self, opener: Element) -> None:
        """What the lines are for, and each column of a grid, whose cells have no room for help."""
        localize = self._form.page.localize
        with box("hint") as text:
            TextWidget("p", localize.of(self._field.help))
            if self._columns:
                definition_list([(localize.of(one.label), localize.of(one.field.help)) for one in self._columns])
        opens(opener, text)

    def reveal(self, path: str) -> None:
        """Show further columns where a field stands in one of them."""
        hidden = {column.path for column in self._columns if column.advanced}
        within = path.removeprefix(self._path).partition("].")[2]
        if path.startswith(f"{self._path}[") and within in hidden and "more" not in self._container.classes:
            self._toggle_more()

    def _widths(self, advanced: bool) -> str:
        shown = [column for column in self._columns if advanced or not column.advanced]
        return " ".join(WIDTHS.get(_kind(column.field), "minmax(6rem, 1.4fr)") for column in shown)

    def _build(self) -> None:
        self._container.clear()
        self._form.remove_widgets(f"{self._path}[")
        with self._container:
            if self._columns:
                self._build_head()
            for number, line in enumerate(self._lines):
                self._build_line(number, line)
        self._hint_at_paste()
        self._form.load_dropdowns()
        self.show_sum()

    def _hint_at_paste(self) -> None:
        """Say that rows can be pasted, where there is a line to paste them into."""
        self._pasted.text = self._form.page.localize("paste_hint") if self._columns and self._lines else ""

    def _build_head(self) -> None:
        localize = self._form.page.localize
        with box("line-heads").props('aria-hidden="true"'):
            TextWidget("span", "")
            for column in self._columns:
                tone = "number" if column.field.type in NUMERIC_TYPES else ""
                star = " *" if column.field.required else ""
                head = TextWidget("span", localize.of(column.label) + star, f"line-headword {tone}")
                head.props["title"] = localize.of(column.field.help)
                if column.advanced:
                    head.classes("advanced-cell")
            TextWidget("span", "")

    def _build_line(self, number: int, line: Draft) -> None:
        localize = self._form.page.localize
        name = localize("line_name", number=number + 1)
        with box("line").props('role="group"') as group:
            group.props["aria-label"] = name
            TextWidget("span", name if not self._columns else str(number + 1), "line-number")
            if self._columns:
                for at, column in enumerate(self._columns):
                    self._build_cell(number, at, column, line)
            else:
                self._form.build_fields(self._field.fields, line, f"{self._path}[{number}].")
            remove = button("", lambda _, at=number: self._remove(at), "small plain line-remove").props("icon=close")
            remove.props["aria-label"] = localize("line_remove_this", number=number + 1)

    def _build_cell(self, number: int, at: int, column: Column, line: Draft) -> None:
        draft, prefix = line, f"{self._path}[{number}]."
        for name in column.inside:
            draft, prefix = draft.setdefault(name, {}), f"{prefix}{name}."
        with box("cell") as cell:
            cell.props["data-cell"] = f"{number}:{at}"
            if column.advanced:
                cell.classes("advanced-cell")
            self._form.build_field(column.field, draft, prefix)
        path = f"{prefix}{column.field.name}"
        widget = self._form.widget(path)
        if widget is not None:
            widget.on("blur", lambda: self._check(column, path, draft.get(column.field.name)))

    def _check(self, column: Column, path: str, text: Any) -> None:
        """Say in the cell what does not fit."""
        found = self._reader.problem(column, text, self._form.draft)
        if found is not None or text not in (None, ""):
            self._form.set_error(path, self._form.page.localize.of(found) if found is not None else None)

    def _add(self) -> None:
        self._lines.append(empty_draft(self._field.fields))
        with self._container:
            self._build_line(len(self._lines) - 1, self._lines[-1])
        self._hint_at_paste()
        self._form.load_dropdowns()
        self.show_sum()
        self._focus(f'[data-cell="{len(self._lines) - 1}:0"] input')

    def _remove(self, at: int) -> None:
        del self._lines[at]
        self._build()
        self._form.changed(self._field.name)
        line = min(at, len(self._lines) - 1)
        self._focus(f".line:nth-last-child({len(self._lines) - line}) .line-remove" if self._lines else "")

    def _focus(self, selector: str) -> None:
        """Put the focus into the grid; without a place there, on the button that adds a line."""
        scope = f"#{self._container.html_id}"
        self._container.client.run_javascript(
            FOCUS % (f"{scope} {selector}" if selector else f"{scope} + .line-actions .add-line")
        )

    def _toggle_more(self) -> None:
        shown = "more" in self._container.classes
        self._container.classes(remove="more") if shown else self._container.classes("more")
        self._more.props["aria-expanded"] = "false" if shown else "true"
        self._more.update()

    def _on_paste(self, event: GenericEventArguments) -> None:
        text, cell = event.args
        line, _, column = str(cell).partition(":")
        pasted = read_paste(str(text), self._columns, int(column or 0))
        if not pasted.lines:
            return
        first = int(line or self._first_empty())
        for number, found in enumerate(pasted.lines, start=first):
            if number >= len(self._lines):
                self._lines.append(empty_draft(self._field.fields))
            self._fill(self._lines[number], found)
        if any(column.advanced and column.path in one for one in pasted.lines for column in self._columns):
            self._container.classes("more")
        self._build()
        self._check_all()
        self._form.changed(self._field.name)
        localize = self._form.page.localize
        said = localize("paste_done", count=len(pasted.lines))
        if pasted.left_out:
            said += " " + localize("paste_left_out", heads=", ".join(pasted.left_out))
        self._pasted.text = said
        self._focus(f'[data-cell="{first + len(pasted.lines) - 1}:0"] input')

    def _first_empty(self) -> int:
        """The first of the empty lines at the end."""
        count = len(self._lines)
        while count and not inputs_of(self._field.fields, self._lines[count - 1]):
            count -= 1
        return count

    def _fill(self, line: Draft, found: Any) -> None:
        lang = self._form.page.localize.lang
        for column in self._columns:
            if column.path in found:
                draft = line
                for name in column.inside:
                    draft = draft.setdefault(name, {})
                draft[column.field.name] = self._reader.tidied(column, found[column.path], self._form.draft, lang)

    def _check_all(self) -> None:
        for number, line in enumerate(self._lines):
            for column in self._columns:
                draft: Any = line
                for name in column.inside:
                    draft = draft.get(name) or {}
                self._check(column, f"{self._path}[{number}].{column.path}", draft.get(column.field.name))

    def show_sum(self) -> None:
        """Show the sum of the lines and its difference from the form's total."""
        if self._sum is not None:
            self._sum.show()
