"""The options of a dropdown, from declared rows. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import Any, NamedTuple

from connector.core.data.answers import wrapped
from connector.core.data.localize import Words
from connector.core.data.templates import (
    NO_WORDS,
    NOTHING,
    Template,
    at,
    condition,
    is_empty,
    path_or_template,
    text_of,
)
from connector.core.values import currencies

Row = Mapping[str, Any]
TABLES: Mapping[str, Callable[[str], Iterable[Row]]] = {"currencies": currencies.table}


class Entry(NamedTuple):
    """One option, with the row it was made of."""

    value: str
    label: str
    hint: str
    row: Row


class OptionList:
    """The `options` of a lookup, compiled once."""

    def __init__(self, declared: Mapping[str, Any], words: Words = NO_WORDS) -> None:
        self.declared, self.words = declared, words
        self.values = str(declared["value"]).split("|")
        self._label = Template(path_or_template(declared["label"]), words)
        self._hint = Template(path_or_template(declared["hint"]), words) if "hint" in declared else None
        self._keys = [_sort_key(key) for key in declared.get("sort", ())]

    def entries(self, items: list[Any], today: date, inputs: Row = NOTHING, lang: str = "en") -> list[Entry]:
        """The options of an answer's items, or of the declared rows where nothing is asked for, in one language."""
        rows = [
            row for row in wrapped(self._rows(items, today, lang), self.declared.get("wrap")) if isinstance(row, dict)
        ]
        if self.declared.get("distinct"):
            rows = self._merged(rows)
        entries = [entry for row in rows if (entry := self.entry(row, inputs, lang)) is not None]
        for key in reversed(self._keys):
            entries.sort(key=key)
        return entries

    def _rows(self, items: list[Any], today: date, lang: str) -> list[Any]:
        table, years = self.declared.get("table"), self.declared.get("years")
        if years is not None:
            return [year_row(f"{today.year + step:04d}") for step in steps(years)]
        if isinstance(table, str):
            return list(TABLES[table](lang))
        return list(table) if table is not None else items

    def entry(self, row: Row, inputs: Row = NOTHING, lang: str = "en") -> Entry | None:
        """The option of one row in a language; None when it has no value."""
        value = self._value(row)
        if not value:
            return None
        hint = self._hint.render(row, inputs, lang=lang) if self._hint else ""
        return Entry(value, self._label.render(row, inputs, lang=lang) or value, hint, row)

    def _value(self, row: Row) -> str:
        return next((text for path in self.values if (text := text_of(at(row, path)))), "")

    def _merged(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Rows of the same value as one: of each field the first that is not empty."""
        merged: dict[str, dict[str, Any]] = {}
        for row in rows:
            known = merged.setdefault(self._value(row), {})
            known.update({name: value for name, value in row.items() if is_empty(known.get(name))})
        return list(merged.values())


def steps(years: Mapping[str, int]) -> range:
    """The declared years as steps from the current one, in order."""
    first, last = years["from"], years["to"]
    return range(first, last - 1, -1) if first >= last else range(first, last + 1)


def year_row(year: str) -> dict[str, Any]:
    """A calendar year."""
    return {"year": year, "start": f"{year}-01-01", "end": f"{year}-12-31"}


def _sort_key(declared: Any) -> Callable[[Entry], Any]:
    if isinstance(declared, Mapping):
        first = condition(declared["first"])
        return lambda entry: not first(entry.row)
    if declared in ("label", "value"):
        return lambda entry: str(getattr(entry, declared)).lower()
    return lambda entry: (is_empty(at(entry.row, declared)), text_of(at(entry.row, declared)).lower())
