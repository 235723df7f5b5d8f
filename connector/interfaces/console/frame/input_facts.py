"""What was or will be sent, in the form's own words: labels and localised values, lists as tables. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from connector.core.data.fields import Field
from connector.interfaces.console.localizer import MINUS, Localizer
from connector.interfaces.question import visible
from connector.interfaces.result_text import EMPTY, IBAN, ResultText, decimals_of, grouped_iban

MAX_VALUE = 2000
"""Characters of one value that are shown."""
Names = Mapping[str, str]
"""What the chosen option of a dropdown is called, by the name of its field."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One input: what it is called, and its value."""

    name: str
    label: str
    value: str
    is_id: bool = False
    """Whether it is the id of an option whose name is not known here."""


@dataclass(frozen=True, slots=True)
class Lines:
    """A list of objects as a table; each cell is one line of what can be seen."""

    name: str
    label: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int]
    """Which columns hold numbers."""


@dataclass(frozen=True, slots=True)
class InputFacts:
    """All inputs of a run, in the order of its form."""

    facts: tuple[Fact, ...]
    lines: tuple[Lines, ...]

    def value(self, name: str) -> str:
        """Return the value of a field; a dash when it was left empty."""
        return next((fact.value for fact in self.facts if fact.name == name), EMPTY)

    def as_rows(self) -> list[tuple[str, str]]:
        """Return label and value of each plain input; each is one line of what can be seen, and none hides another."""
        return [(visible(fact.label), visible(fact.value, MAX_VALUE)) for fact in self.facts]

    @property
    def text(self) -> str:
        """Everything in one text, to be searched."""
        cells = (cell for lines in self.lines for row in lines.rows for cell in row)
        return " ".join([*(fact.value for fact in self.facts), *cells])


def input_facts(fields: Iterable[Field], inputs: Any, localize: Localizer, names: Names | None = None) -> InputFacts:
    """Return the inputs as people read them; what no field declares keeps its name."""
    given = inputs if isinstance(inputs, Mapping) else {}
    fields = tuple(fields)
    text = ResultText.of_inputs(localize.lang, fields, MINUS)
    facts: list[Fact] = []
    lines: list[Lines] = []
    for field in fields:
        value = given.get(field.name)
        if value is None or value == "" or field.internal:
            continue
        label = localize.of(field.label)
        if field.type == "list" and field.fields and isinstance(value, list):
            lines.append(_lines(field, label, value, localize, text, given))
        else:
            named = (names or {}).get(field.name)
            shown = named or _value(field, value, localize, text, given, field.name)
            facts.append(Fact(field.name, label, shown, field.lookup is not None and named is None))
    known = {field.name for field in fields}
    facts += [Fact(name, name, text.value(value, name)) for name, value in given.items() if name not in known]
    return InputFacts(tuple(facts), tuple(lines))


def _lines(
    field: Field, label: str, value: list[Any], localize: Localizer, text: ResultText, given: Mapping[str, Any]
) -> Lines:
    rows = [row for row in value if isinstance(row, Mapping)]
    columns = [one for one in field.fields if any(row.get(one.name) not in (None, "") for row in rows)]

    def cell(one: Field, row: Mapping[str, Any]) -> str:
        shown = _value(one, row.get(one.name), localize, text, given, f"{field.name}.{one.name}")
        return visible(shown, MAX_VALUE)

    cells = tuple(tuple(cell(one, row) for one in columns) for row in rows)
    numeric = frozenset(index for index, one in enumerate(columns) if one.type in {"money", "number", "integer"})
    return Lines(field.name, label, tuple(localize.of(one.label) for one in columns), cells, numeric)


def _value(field: Field, value: Any, localize: Localizer, text: ResultText, given: Mapping[str, Any], path: str) -> str:
    if field.type == "file" and value is not None:
        size = value.get("bytes") if isinstance(value, Mapping) else len(value)
        return localize("fact_file", size=size)
    if field.type == "money" and isinstance(value, int | Decimal):
        currency = given.get(field.currency_field or "")
        amount = text.amount(Decimal(value), decimals_of(currency))
        return f"{amount} {currency}" if currency else amount
    if field.format == IBAN and isinstance(value, str):
        return grouped_iban(value)
    return text.value(value, path, given)
