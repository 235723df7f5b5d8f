"""Widget for a list field: a grid of lines where each column is a field, with paste, keyboard and a running sum."""

from __future__ import annotations

from typing import Any

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from connector.core.fields import Field
from connector.interfaces.console.form_access import FormAccess
from connector.interfaces.console.form_model import Draft, SumRule, empty_draft, inputs_of
from connector.interfaces.console.line_columns import NUMERIC_TYPES, CellReader, Column, columns_of, read_paste
from connector.interfaces.console.running_sum import RunningSum
from connector.interfaces.console.widgets import Text, box, button, flex_row

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
# One word is pasted by the browser; rows of a spreadsheet come from anywhere in the form.
PASTE = """(event) => {
  const text = event.clipboardData.getData('text/plain');
  if (!/[\\t]|\\S\\r?\\n\\s*\\S/.test(text) || event.target.tagName === 'TEXTAREA') return;
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
            Text("legend", localize.of(field.label) + (" *" if field.required else ""))
            Text("div", localize.of(field.help), "hint")
            self._container: Element = box("line-items")
            with flex_row("line-actions"):
                add = button(localize("line_add"), self._add, "small add-line")
                add.props["aria-label"] = f"{localize('line_add')}: {localize.of(field.label)}"
                if any(column.advanced for column in self._columns):
                    more = button(localize("line_more_columns"), self._toggle_more, "small plain")
                    more.props["aria-expanded"] = "false"
                    self._more = more
                self._sum = RunningSum(form, sum_rule) if sum_rule is not None else None
            self._pasted = Text("div", "", "hint").props('role="status" aria-live="polite"')
        if self._columns:
            self._pasted.text = localize("paste_hint")
            self._container.classes("line-grid").on("keydown.capture", self._add, js_handler=KEYS)
            self._container.style(f"--columns: {self._widths(False)}; --all-columns: {self._widths(True)}")
            form.root.on("paste", self._on_paste, js_handler=PASTE)
        self._build()

    def _widths(self, advanced: bool) -> str:
        shown = [column for column in self._columns if advanced or not column.advanced]
        wide = {"money": "minmax(7rem, 1.1fr)", "number": "minmax(4.5rem, .7fr)", "boolean": "minmax(4rem, .6fr)"}
        return " ".join(wide.get(column.field.type, "minmax(6rem, 1.4fr)") for column in shown)

    def _build(self) -> None:
        self._container.clear()
        self._form.remove_widgets(f"{self._path}[")
        with self._container:
            if self._columns:
                self._build_head()
            for number, line in enumerate(self._lines):
                self._build_line(number, line)
        self._form.load_dropdowns()
        self.show_sum()

    def _build_head(self) -> None:
        localize = self._form.page.localize
        with box("line-heads").props('aria-hidden="true"'):
            Text("span", "")
            for column in self._columns:
                tone = "number" if column.field.type in NUMERIC_TYPES else ""
                star = " *" if column.field.required else ""
                head = Text("span", localize.of(column.label) + star, f"line-headword {tone}")
                head.props["title"] = localize.of(column.field.help)
                if column.advanced:
                    head.classes("advanced-cell")
            Text("span", "")

    def _build_line(self, number: int, line: Draft) -> None:
        localize = self._form.page.localize
        name = localize("line_name", number=number + 1)
        with box("line").props('role="group"') as group:
            group.props["aria-label"] = name
            Text("span", name if not self._columns else str(number + 1), "line-number")
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
