"""Widget for a list field: lines can be added and removed, and their sum is shown live."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nicegui.element import Element

from connector.core.manifest.fields import Field
from connector.interfaces.console.form_model import Draft, Sum, SumRule, compute_sum, empty_draft
from connector.interfaces.console.page_frame import Page
from connector.interfaces.console.widgets import Text, box, button, flex_row


@dataclass(frozen=True, slots=True)
class FormAccess:
    """The parts of the form that its line items use."""

    page: Page
    draft: Draft
    """The draft of the whole form."""
    build_line: Callable[[Draft, str], None]
    """Builds the widgets of one line, given its draft and the prefix of its field paths."""
    remove_widgets: Callable[[str], None]
    """Removes the widgets whose paths start with a prefix."""
    set_value: Callable[[str, str], None]
    """Sets the value of a form field."""


class LineItems:
    """The line items of one list field."""

    def __init__(self, form: FormAccess, field: Field, path: str, lines: list[Draft], sum_rule: SumRule | None) -> None:
        self._form, self._field, self._path, self._lines, self._sum_rule = form, field, path, lines, sum_rule
        localize = form.page.localize
        with box("fieldset lines", "fieldset"):
            Text("legend", localize.of(field.label) + (" *" if field.required else ""))
            Text("div", localize.of(field.help), "hint")
            self._container: Element = box("line-items")
            with flex_row("line-actions"):
                add = button(localize("line_add"), self._add, "small")
                add.props["aria-label"] = f"{localize('line_add')}: {localize.of(field.label)}"
                self._status = Text("div", "", "sum").props('role="status" aria-live="polite"')
                self._use_sum = button(localize("use_sum"), self._apply_sum, "small")
        self._build()

    def _build(self) -> None:
        self._container.clear()
        self._form.remove_widgets(f"{self._path}[")
        localize = self._form.page.localize
        with self._container:
            for number, line in enumerate(self._lines):
                with box("line").props('role="group"') as group:
                    group.props["aria-label"] = localize("line_name", number=number + 1)
                    with box("line-head"):
                        Text("span", localize("line_name", number=number + 1), "line-number")
                        remove = button(localize("line_remove"), lambda _, at=number: self._remove(at), "small plain")
                        remove.props["aria-label"] = localize("line_remove_this", number=number + 1)
                    self._form.build_line(line, f"{self._path}[{number}].")
        self.show_sum()

    def _add(self) -> None:
        self._lines.append(empty_draft(self._field.fields))
        self._build()

    def _remove(self, at: int) -> None:
        del self._lines[at]
        self._build()

    def _apply_sum(self) -> None:
        if self._sum_rule is not None:
            self._form.set_value(self._sum_rule.amount, f"{compute_sum(self._sum_rule, self._form.draft).lines:f}")

    def show_sum(self) -> None:
        """Show the sum of the lines and its difference from the form's total."""
        self._use_sum.set_visibility(False)
        if self._sum_rule is None:
            return
        found = compute_sum(self._sum_rule, self._form.draft)
        self._status.text, tone = self._sum_text(found)
        self._status.classes(replace=f"sum {tone}")

    def _sum_text(self, found: Sum) -> tuple[str, str]:
        localize = self._form.page.localize
        currency = str(self._form.draft.get(self._sum_rule.currency or "") or "") if self._sum_rule else ""
        if found.unreadable:
            return localize("sum_unreadable", lines=", ".join(map(str, found.unreadable))), "bad"
        total = f"{localize.amount(found.lines)} {currency}".strip()
        if found.difference is None:
            return localize("sum", total=total), ""
        if not found.difference:
            return localize("sum_fits", total=total), "good"
        self._use_sum.set_visibility(True)
        difference = f"{localize.amount(found.difference)} {currency}".strip()
        return localize("sum_differs", total=total, difference=difference), "bad"
