"""How the fields of a form stand: in the groups of the manifest, required ones first, as wide as they need. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from connector.core.data.fields import Field, FieldGroup
from connector.core.messages import Text

Width = Literal["short", "day", "time", "iban", "text", "choice", "long"]
LONG = 100
"""Texts that may have so many characters get a line of their own."""
SHORT_LABEL = 14
"""Characters of a label that a short field shows whole."""
NUMERIC_TYPES = frozenset({"money", "number", "integer"})
DAY_TYPES = frozenset({"date", "date-time"})
SHORT_FORMATS = frozenset({"currency", "country", "client", "account_number", "vat_id", "bic"})


@dataclass(frozen=True, slots=True)
class FormGroup:
    """Fields that stand together; without a label they follow those before."""

    label: Text | None
    fields: tuple[Field, ...]


def groups_of(fields: Sequence[Field], declared: Iterable[FieldGroup]) -> list[FormGroup]:
    """Return the fields that are not advanced in their groups; one group where none is declared."""
    basic = {field.name: field for field in fields if field.presence != "advanced"}
    groups = [
        FormGroup(group.label, tuple(_required_first(basic[name] for name in group.inputs if name in basic)))
        for group in declared
    ]
    named = {field.name for group in groups for field in group.fields}
    rest = FormGroup(None, tuple(_required_first(field for name, field in basic.items() if name not in named)))
    return [group for group in (*groups, rest) if group.fields]


def _required_first(fields: Iterable[Field]) -> list[Field]:
    return sorted(fields, key=lambda field: not field.required)


def width_of(field: Field) -> Width:
    """Return how much room a field needs, by the kind of what is typed into it."""
    if field.lookup is not None or field.values:
        return "time" if field.format in SHORT_FORMATS else "choice"
    if field.type in NUMERIC_TYPES or field.format in SHORT_FORMATS:
        return "short" if max(map(len, field.label)) <= SHORT_LABEL else "time"
    if field.type in DAY_TYPES:
        return "day" if field.type == "date" else "time"
    if field.format == "iban":
        return "iban"
    is_long = field.type == "object" or (field.max_length or 0) >= LONG
    return "long" if is_long else "text"
