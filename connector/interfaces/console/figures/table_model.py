"""A table as people read it: texts in one language, sorted, filtered, grouped and added up. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, NamedTuple

from connector.core.data.row_parts import money_of
from connector.core.values.money import total
from connector.interfaces.result_rows import Row, Table
from connector.interfaces.result_text import ResultText

SHORT = 12
"""Columns of at most so many characters are never cut off."""
LONGEST_WEIGHT = 40
LOOKED_AT = 50
"""Rows by which the kind of a column is known where it is not declared."""
_DIGITS = re.compile(r"([0-9]+)")
Names = Mapping[str, Mapping[str, str]]
"""What the things are called that ids stand for, by column and id."""


@dataclass(frozen=True, slots=True)
class Sorting:
    """The column by which the rows stand, and in which direction."""

    column: int
    descending: bool = False


class RowGroup(NamedTuple):
    """The group of a row: groups stand by their rank, those of one rank by their first row."""

    rank: int
    title: str


class TableModel:
    """The rows of a table with their texts in one language."""

    def __init__(
        self,
        table: Table,
        text: ResultText,
        groups: Sequence[RowGroup] | None = None,
        names: Names | None = None,
        screen_only: Collection[str] = (),
    ) -> None:
        """Without `groups` the rows stand below what the manifest declares that they have in common.

        Columns that are `screen_only` stand in no file.
        """
        self.table, self.text, self.names = table, text, names or {}
        self.in_files = [at for at, name in enumerate(table.columns) if name not in screen_only]
        self.heads = text.labels(table.columns)
        self.texts = [[self._cell(row, source, name) for name in table.columns] for row, source in self._pairs()]
        self.groups = list(groups) if groups is not None else self._declared_groups()
        self._folded: list[str] | None = None

    def _pairs(self) -> list[tuple[Row, Row]]:
        return list(zip(self.table.rows, self.table.sources, strict=True))

    def _cell(self, row: Row, source: Row, name: str) -> str:
        named = self.names.get(name, {}).get(str(row[name]))
        return named if named is not None else self.text.value(row[name], name, source)

    def _declared_groups(self) -> list[RowGroup]:
        if not self.table.group:
            return []
        return [
            RowGroup(0, " ".join(self.text.value(row[name], name, source) for name in self.table.group))
            for row, source in self._pairs()
        ]

    @cached_property
    def currency(self) -> str | None:
        """The currency of all amounts; None where there are several, or none is known."""
        found = {self._currency(source) for source in self.table.sources}
        return str(next(iter(found))) if len(found) == 1 and found != {None} else None

    def _currency(self, source: Row) -> Any:
        return self.text.parts.value("currency", source)

    @cached_property
    def shown(self) -> list[int]:
        """The columns that stand on a screen: no ids without a name, and no column that repeats one currency."""
        repeated = self.text.parts.path("currency") if self.main is not None else None
        plain = [
            index
            for index, name in enumerate(self.table.columns)
            if not (self.text.is_id(name) and name not in self.names) and name != repeated
        ]
        return plain or list(range(len(self.heads)))

    def screen_texts(self) -> list[list[str]]:
        """Return the texts of the columns that stand on a screen; amounts of several currencies with theirs."""
        if self.currency is not None:
            return [[row[index] for index in self.shown] for row in self.texts]
        amounts = {index for index in self.shown if self.is_amount(index)}
        return [
            [
                f"{row[index]} {currency}" if index in amounts and currency and values[name] is not None else row[index]
                for index, name in zip(self.shown, map(self.table.columns.__getitem__, self.shown), strict=True)
            ]
            for row, values, currency in zip(
                self.texts, self.table.rows, map(self._currency, self.table.sources), strict=True
            )
        ]

    def is_number(self, column: int) -> bool:
        """Whether a column is right-aligned."""
        return self.table.columns[column] in self.table.numeric

    def is_amount(self, column: int) -> bool:
        """Whether a column can be added up."""
        return self.is_number(column) and (self.text.is_money(self.table.columns[column]) or self.has_sides(column))

    @property
    def main(self) -> int | None:
        """The column that matters most: the last amount."""
        amounts = [index for index in range(len(self.heads)) if self.is_amount(index)]
        return amounts[-1] if amounts else None

    @property
    def lead(self) -> int:
        """The column by which a person knows a row: the first with free text."""
        texts = [index for index in self.shown if not self.is_number(index)]
        wide = [index for index in texts if self._longest(index) > SHORT and not self.is_day(index)]
        return next(iter(wide or texts), self.shown[0])

    def weight(self, column: int) -> int:
        """How much of the spare width a column gets; 0 where it is never cut off."""
        longest = self._longest(column)
        return 0 if self.is_number(column) or longest <= SHORT or self.is_day(column) else min(longest, LONGEST_WEIGHT)

    def order(self, sorting: Sorting | None = None, wanted: str = "") -> list[int]:
        """Return the numbers of the rows that hold all wanted words, sorted."""
        words = wanted.casefold().split()
        if words and self._folded is None:
            titles = [group.title for group in self.groups] or [""] * len(self.texts)
            self._folded = ["\n".join([title, *row]).casefold() for title, row in zip(titles, self.texts, strict=True)]
        folded = self._folded or ()
        found = [at for at in range(len(self.texts)) if not words or all(word in folded[at] for word in words)]
        if sorting is None:
            return found
        keys = {at: self._key(at, sorting.column) for at in found}
        known = sorted(
            (at for at in found if keys[at] is not None), key=lambda at: keys[at], reverse=sorting.descending
        )
        return known + [at for at in found if keys[at] is None]

    def lines(self, order: Sequence[int]) -> list[int | dict[str, Any]]:
        """Return the rows in order; where there are groups, each below its head with its own sums."""
        if not self.groups:
            return list(order)
        groups: dict[RowGroup, list[int]] = {}
        for at in order:
            groups.setdefault(self.groups[at], []).append(at)
        lines: list[int | dict[str, Any]] = []
        for group, members in sorted(groups.items(), key=lambda one: one[0].rank):
            lines.append({"group": group.title, "totals": self.totals(members)})
            lines += members
        return lines

    def totals(self, order: Iterable[int]) -> list[str]:
        """Return the sums of the amounts, by column; amounts of several currencies in a line for each."""
        rows = list(order)
        currencies = sorted({str(self._currency(self.table.sources[at]) or "") for at in rows})
        return [
            self._totals(index, rows, currencies) if self.is_amount(index) else "" for index in range(len(self.heads))
        ]

    def _totals(self, column: int, rows: Sequence[int], currencies: Sequence[str]) -> str:
        if len(currencies) == 1:
            return self._total(column, rows)
        mine = {currency: [at for at in rows if self._currency_text(at) == currency] for currency in currencies}
        return "\n".join(f"{self._total(column, found)} {currency}".rstrip() for currency, found in mine.items())

    def _currency_text(self, at: int) -> str:
        return str(self._currency(self.table.sources[at]) or "")

    def _total(self, column: int, rows: Sequence[int]) -> str:
        name = self.table.columns[column]
        amounts = [amount for at in rows if (amount := self.amount(self.table.rows[at][name])) is not None]
        added = total(amounts) if amounts else Decimal(0)
        if not self.has_sides(column):
            return self.text.amount(added)
        return f"{self.text.amount(abs(added))} {self.text.side(added >= 0)}"

    def amount(self, value: Any) -> Decimal | None:
        """Return the number of a cell; a balance in credit is below zero."""
        balance = self.text.balance(value)
        return balance.signed if balance is not None else money_of(value)

    def has_sides(self, column: int) -> bool:
        """Whether a column holds amounts on a side of an account."""
        name = self.table.columns[column]
        return any(self.text.balance(row[name]) is not None for row in self.table.rows[:LOOKED_AT])

    def is_day(self, column: int) -> bool:
        """Whether a column holds days or points in time, whose values sort by themselves."""
        name = self.table.columns[column]
        if self.text.is_day(name):
            return True
        values = [row[name] for row in self.table.rows[:LOOKED_AT] if isinstance(row[name], str) and row[name]]
        return bool(values) and all(re.match(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value) for value in values)

    def _key(self, at: int, column: int) -> Any:
        value = self.table.rows[at][self.table.columns[column]]
        if value is None or value == "":
            return None
        if self.is_number(column):
            return self.amount(value)
        return str(value) if self.is_day(column) else _natural(self.texts[at][column])

    def _longest(self, column: int) -> int:
        return max((len(row[column]) for row in self.texts[:500]), default=0)


def _natural(text: str) -> list[str | tuple[int, str]]:
    """A text as a person sorts it: 2 before 10, and account 8400 before 100100000."""
    parts = _DIGITS.split(text.casefold())
    return [(len(part.lstrip("0")), part.lstrip("0")) if at % 2 else part for at, part in enumerate(parts)]
