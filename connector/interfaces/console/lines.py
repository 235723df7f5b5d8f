"""Line items: lines that are added and removed, and whose sum is shown while somebody types."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from nicegui.element import Element

from connector.core.manifest.fields import Field
from connector.interfaces.console.form_model import Addition, Draft, Sum, add_up, blank
from connector.interfaces.console.frame import Visit
from connector.interfaces.console.pieces import Text, abreast, box, button


@dataclass(frozen=True, slots=True)
class Around:
    """What lines need of the form around them."""

    visit: Visit
    draft: Draft
    """The whole form's."""
    fill: Callable[[Draft, str], None]
    """Makes the widgets of one line, given its draft and how its fields are called from above."""
    forget: Callable[[str], None]
    """Forgets the widgets whose names begin so."""
    put: Callable[[str, str], None]
    """Writes a text into a field of the form."""


class Lines:
    """The lines of one list field."""

    def __init__(self, around: Around, field: Field, path: str, lines: list[Draft], addition: Addition | None) -> None:
        self._around, self._field, self._path, self._lines, self._addition = around, field, path, lines, addition
        localize = around.visit.localize
        with box("fieldset lines", "fieldset"):
            Text("legend", localize.of(field.label) + (" *" if field.required else ""))
            Text("div", localize.of(field.help), "hint")
            self._place: Element = box("line-items")
            with abreast("line-actions"):
                add = button(localize("line_add"), self._add, "small")
                add.props["aria-label"] = f"{localize('line_add')}: {localize.of(field.label)}"
                self._said = Text("div", "", "sum").props('role="status" aria-live="polite"')
                self._use_sum = button(localize("use_sum"), self._take_sum, "small")
        self._build()

    def _build(self) -> None:
        self._place.clear()
        self._around.forget(f"{self._path}[")
        localize = self._around.visit.localize
        with self._place:
            for number, line in enumerate(self._lines):
                with box("line").props('role="group"') as group:
                    group.props["aria-label"] = localize("line_name", number=number + 1)
                    with box("line-head"):
                        Text("span", localize("line_name", number=number + 1), "line-number")
                        remove = button(localize("line_remove"), lambda _, at=number: self._remove(at), "small plain")
                        remove.props["aria-label"] = localize("line_remove_this", number=number + 1)
                    self._around.fill(line, f"{self._path}[{number}].")
        self.add_up()

    def _add(self) -> None:
        self._lines.append(blank(self._field.fields))
        self._build()

    def _remove(self, at: int) -> None:
        del self._lines[at]
        self._build()

    def _take_sum(self) -> None:
        if self._addition is not None:
            self._around.put(self._addition.amount, f"{add_up(self._addition, self._around.draft).lines:f}")

    def add_up(self) -> None:
        """Shows what the lines add up to, and by how much that differs from what the form says."""
        self._use_sum.set_visibility(False)
        if self._addition is None:
            return
        found = add_up(self._addition, self._around.draft)
        self._said.text, tone = self._words(found)
        self._said.classes(replace=f"sum {tone}")

    def _words(self, found: Sum) -> tuple[str, str]:
        localize = self._around.visit.localize
        currency = str(self._around.draft.get(self._addition.currency or "") or "") if self._addition else ""
        if found.unreadable:
            return localize("sum_unreadable", lines=", ".join(map(str, found.unreadable))), "bad"
        total = f"{localize.amount(found.lines)} {currency}".strip()
        if found.difference is None:
            return localize("sum", total=total), ""
        if not found.difference:
            return localize("sum_fits", total=total), "good"
        self._use_sum.set_visibility(True)
        off = f"{localize.amount(found.difference)} {currency}".strip()
        return localize("sum_differs", total=total, difference=off), "bad"
