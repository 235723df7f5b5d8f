"""What the fields of a row mean to people: its day, its amount, who is on the other side, what it is for.

A resource declares it once (`shows`), and every face shows a row by it. A column named `@purpose` is such a part.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

from connector.core.data.templates import at, is_empty
from connector.core.values.money import as_money

Row = Mapping[str, Any]
PART = "@"
"""Marks the column that is a part of a row instead of one of its fields."""


class Balance(NamedTuple):
    """An amount on one side of an account."""

    amount: Any
    is_debit: bool

    @property
    def signed(self) -> Decimal | None:
        """The amount, below zero on the credit side; None where it is no amount."""
        amount = money_of(self.amount)
        return amount if amount is None or self.is_debit else amount.copy_negate()


class RowParts:
    """The parts of the rows of one resource, as it declares them."""

    def __init__(self, declared: Mapping[str, Any]) -> None:
        self._declared = declared

    def __contains__(self, part: str) -> bool:
        """Whether rows have this part."""
        return part in self._declared

    def path(self, part: str) -> str | None:
        """Return the field that is the part; None where there is none, or where it is chosen for each row."""
        field = self._declared.get(part)
        return field if isinstance(field, str) else None

    def value(self, part: str, row: Row) -> Any:
        """Return a part of a row; None where the row has none."""
        declared = self._declared.get(part)
        if isinstance(declared, Mapping) and "always" in declared:
            return declared["always"]
        if isinstance(declared, Mapping) and "received" in declared:
            return _first(self._by_sign(declared, row), row)
        return _first(declared if isinstance(declared, list) else [declared], row)

    def amount(self, row: Row) -> Decimal | None:
        """Return what a row comes to; None where that is no number."""
        return money_of(self.value("amount", row))

    def cell(self, column: str, row: Row) -> Any:
        """Return what stands in a column: a part where its name is marked, else a field."""
        return self.value(column[1:], row) if column.startswith(PART) else at(row, column)

    def plain(self, column: str) -> str | None:
        """Return the field of a column; of a part with several the last, which every row has. None where it differs."""
        declared = self._declared.get(column[1:]) if column.startswith(PART) else column
        sources = declared if isinstance(declared, list) else [declared]
        return next((source for source in reversed(sources) if isinstance(source, str)), None)

    def balance(self, value: Any) -> Balance | None:
        """Return the value as an amount on a side, where these are the parts of such values."""
        side, amount = self._declared.get("side"), self.path("amount")
        if side is None or amount is None or not isinstance(value, Mapping) or amount not in value:
            return None
        given = value.get(side["field"])
        return Balance(value[amount], given == side["debit"]) if given in (side["debit"], side["credit"]) else None

    def _by_sign(self, declared: Mapping[str, Any], row: Row) -> Sequence[Any]:
        received, paid, amount = declared["received"], declared["paid"], self.amount(row)
        if not amount:
            return [*received, *paid]
        return list(received) if amount > 0 else list(paid)


def declared_parts(resources: Mapping[str, Mapping[str, Any]], resource: str, rows: str = "") -> dict[str, Any]:
    """Return what a resource declares of its rows; with `rows` (`a[].b[]`) of those that it holds there.

    A row inside another has the parts of that one too, unless it says them itself.
    """
    parts = dict(resources.get(resource, {}).get("shows", {}))
    for name in rows.removesuffix("[]").split("[].") if rows else ():
        held = resources.get(resource, {"fields": {}})["fields"].get(name)
        resource = held[0] if isinstance(held, list) else ""
        parts |= resources.get(resource, {}).get("shows", {})
    return parts


def money_of(value: Any) -> Decimal | None:
    """Return a value as an amount; None where it is none."""
    try:
        return None if value is None or isinstance(value, bool | Mapping | list) else as_money(value)
    except ValueError:
        return None


def _first(sources: Sequence[Any], row: Row) -> Any:
    """Return the first value that is not empty."""
    values = (_value(source, row) for source in sources if source is not None)
    return next((value for value in values if not is_empty(value)), None)


def _value(source: Any, row: Row) -> Any:
    if isinstance(source, str):
        return at(row, source)
    text = at(row, source["text"])
    return labelled(text, source["label"], tuple(source["among"])) if isinstance(text, str) else None


def labelled(text: str, label: str, among: tuple[str, ...]) -> str | None:
    """Return what follows `LABEL+` in a text, up to the next label; None where the label is not there."""
    parts = _labels(among).split(text)
    by_label = dict(zip(parts[1::2], parts[2::2], strict=True))
    return by_label.get(label, "").strip() or None


@lru_cache
def _labels(among: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9])({'|'.join(map(re.escape, among))})\+")
