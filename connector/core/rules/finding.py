"""What a rule finds wrong, and the labels by which it is told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from connector.core.data.fields import Field
from connector.core.data.templates import text_of
from connector.core.messages import Text, quote
from connector.core.timing import Clock
from connector.core.values.money import with_cents

_INDEX = re.compile(r"\[([0-9]+)\]")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: the reason, the input's place, and what fills the blanks of the sentence.

    Amounts and days are among the values as they are; whoever says the sentence writes them in its language.
    """

    reason: str
    field: str
    values: Mapping[str, Any]

    @property
    def line(self) -> int | None:
        """The line of the list that the place lies in, from 1."""
        match = _INDEX.search(self.field)
        return int(match[1]) + 1 if match else None


Findings = Iterator[Finding]


class Form:
    """The labels of a manifest's inputs, at any depth, and the day on which they are checked."""

    def __init__(self, fields: Iterable[Field], today: date | None = None) -> None:
        self._fields = dict(_flat(fields, ""))
        self._today = today

    def on(self, today: date | None) -> Form:
        """The same form on a certain day."""
        form = Form((), today)
        form._fields = self._fields
        return form

    @property
    def today(self) -> date:
        """The day in Berlin; the machine's own where no other was said."""
        return self._today or Clock().berlin_today()

    def label(self, place: str) -> Text:
        """The label of the input at a place; the place itself where there is none."""
        field = self._fields.get(_INDEX.sub("", place).replace("[]", ""))
        return field.label if field else quote(place)

    def choice(self, name: str, value: Any) -> Text | Decimal:
        """A value by the label that the form shows for it; an amount with its cents."""
        if isinstance(value, Decimal):
            return with_cents(value)
        field = self._fields.get(name)
        shown = next((choice.label for choice in field.values if choice.value == value), None) if field else None
        return shown or quote(text_of(value) or str(value))


def _flat(fields: Iterable[Field], above: str) -> Iterator[tuple[str, Field]]:
    for field in fields:
        yield f"{above}{field.name}", field
        yield from _flat(field.fields, f"{above}{field.name}.")
