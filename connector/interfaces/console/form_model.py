"""The pure half of a form: a draft as people type it, the inputs made of it, and what its lines add up to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from connector.core.manifest.fields import Field
from connector.core.values import json
from connector.core.values.money import as_money, total

Draft = dict[str, Any]
"""By field name: text as typed, True or False, bytes, a nested draft, or a list of them."""
GERMAN_NUMBER = re.compile(r"[-−]?(\d{1,3}(\.\d{3})+|\d+),\d+")


def blank(fields: Iterable[Field]) -> Draft:
    """A draft with the manifest's defaults, and one empty line where lines are required."""
    draft: Draft = {}
    for field in shown(fields):
        if field.type == "list":
            draft[field.name] = [blank(field.fields)] if field.presence == "required" else []
        elif field.type == "object" and field.fields:
            draft[field.name] = blank(field.fields)
        elif field.default is not None:
            draft[field.name] = field.default if field.type == "boolean" else str(field.default)
        else:
            draft[field.name] = None
    return draft


def shown(fields: Iterable[Field]) -> list[Field]:
    """The fields that a person fills in."""
    return [field for field in fields if not field.internal]


def inputs_of(fields: Iterable[Field], draft: Mapping[str, Any]) -> dict[str, Any]:
    """What was filled in, as the runtime takes it: nothing empty, German numbers with a point, JSON read."""
    inputs: dict[str, Any] = {}
    for field in shown(fields):
        value = _value(field, draft.get(field.name))
        if value is not None and value != "" and value != {}:
            inputs[field.name] = value
    return inputs


def _value(field: Field, value: Any) -> Any:
    if field.type == "list":
        lines = [inputs_of(field.fields, line) for line in value or ()]
        return [line for line in lines if line] or None
    if field.type == "object" and field.fields:
        return inputs_of(field.fields, value or {})
    if isinstance(value, str):
        value = value.strip()
        if field.type in {"money", "number"}:
            return plain_number(value)
        if field.type == "object" and value:
            try:
                return json.decode(value)
            except ValueError:
                return value  # the runtime says what is wrong with it
    return value


def plain_number(text: str) -> str:
    """A number with a decimal comma, as it is typed in German, with a point instead; any other text as it is."""
    text = text.replace("−", "-")
    return text.replace(".", "").replace(",", ".") if GERMAN_NUMBER.fullmatch(text) else text


@dataclass(frozen=True, slots=True)
class Addition:
    """A list whose lines must add up to a field of the form: `belegzeilen[].betrag` to `betrag`."""

    lines: str
    amount: str
    currency: str | None


@dataclass(frozen=True, slots=True)
class Sum:
    """What the lines add up to now."""

    lines: Decimal
    asked: Decimal | None
    """What the form says the sum should be; None while it says nothing readable."""
    unreadable: tuple[int, ...]
    """Lines, counted from 1, whose amount is not a number."""

    @property
    def difference(self) -> Decimal | None:
        """The sum of the lines less what was asked, to the last digit."""
        return None if self.asked is None else total([self.lines, self.asked.copy_negate()])


def addition_in(fields: Iterable[Field]) -> Addition | None:
    """The addition that a form is to show while somebody types, if it has one."""
    amounts = {field.name: field for field in fields if field.type == "money"}
    for field in fields:
        for inner in field.fields:
            if field.type == "list" and inner.type == "money" and inner.name in amounts:
                return Addition(field.name, inner.name, amounts[inner.name].currency_field)
    return None


def add_up(addition: Addition, draft: Mapping[str, Any]) -> Sum:
    """Adds the lines up, exactly."""
    found: list[Decimal] = []
    unreadable: list[int] = []
    for place, line in enumerate(draft.get(addition.lines) or (), start=1):
        text = str(line.get(addition.amount) or "").strip()
        amount = _amount(text)
        if amount is not None:
            found.append(amount)
        elif text:
            unreadable.append(place)
    asked = _amount(str(draft.get(addition.amount) or "").strip())
    return Sum(total(found) if found else Decimal(0), asked, tuple(unreadable))


def _amount(text: str) -> Decimal | None:
    try:
        return as_money(plain_number(text)) if text else None
    except ValueError:
        return None


def lookup_inputs(field: Field, draft: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What a field's dropdown is asked with, and which other fields it takes that from."""
    if field.lookup is None:
        return {}, ()
    given: dict[str, Any] = {}
    needs: list[str] = []
    for name, source in field.lookup.with_.items():
        if isinstance(source, str) and source.startswith("$"):
            needs.append(source[1:])
            value = draft.get(source[1:])
            if value not in (None, ""):
                given[name] = value
        else:
            given[name] = source
    return given, tuple(needs)


def missing_for_lookup(lookup_fields: Iterable[Field], given: Mapping[str, Any]) -> list[Field]:
    """What a dropdown cannot be asked without, and was not given."""
    return [field for field in lookup_fields if field.required and field.name not in given]
