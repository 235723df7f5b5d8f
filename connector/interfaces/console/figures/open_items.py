"""Open items by side: debtors and creditors kept apart, each by the age of the document. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from connector.core.data.row_parts import RowParts
from connector.core.manifest.library import Library
from connector.core.manifest.model import Action
from connector.core.values.money import total
from connector.interfaces.result_rows import Row, Table, day_of

AGE_LIMITS = (30, 60, 90)
"""Upper limits in days; older items form a fourth group."""
AGES = tuple(range(len(AGE_LIMITS) + 1))
SIDES = ((True, "debtors"), (False, "creditors"))


@dataclass(frozen=True, slots=True)
class Age:
    """The open items of one age: how many, and what they come to."""

    index: int
    count: int
    amount: Decimal


@dataclass(frozen=True, slots=True)
class Side:
    """The open items of those who owe, or of those who are owed."""

    name: str
    table: Table
    ages: tuple[int | None, ...]
    """The age of each row; None where it has no day."""
    by_age: tuple[Age, ...]
    total: Decimal
    """What all of them come to, those of unknown age too."""

    def of_age(self, index: int | None) -> Table:
        """Return the items of one age, or all."""
        return self.table.only([index is None or age == index for age in self.ages])


def sides_of(table: Table, parts: RowParts, cutoff: date) -> list[Side]:
    """Return the sides that have open items."""
    found = []
    for owes, name in SIDES:
        mine = table.only([bool(parts.value("debtor", row)) is owes for row in table.sources])
        if mine.rows:
            ages = tuple(age_of(cutoff, parts.value("day", row)) for row in mine.sources)
            found.append(Side(name, mine, ages, _by_age(mine.sources, ages, parts), _sum(mine.sources, parts)))
    return found


def _by_age(rows: Sequence[Row], ages: Sequence[int | None], parts: RowParts) -> tuple[Age, ...]:
    of_age = [[row for row, age in zip(rows, ages, strict=True) if age == index] for index in AGES]
    return tuple(Age(index, len(found), _sum(found, parts)) for index, found in zip(AGES, of_age, strict=True))


def _sum(rows: Sequence[Row], parts: RowParts) -> Decimal:
    amounts = [amount for row in rows if (amount := parts.amount(row)) is not None]
    return total(amounts) if amounts else Decimal(0)


def age_of(cutoff: date, day: Any) -> int | None:
    """Return the group of an open item's age, by the day of its document."""
    found = day_of(day)
    if found is None:
        return None
    days = (cutoff - found).days
    return next((index for index, bound in enumerate(AGE_LIMITS) if days <= bound), len(AGE_LIMITS))


def cutoff_of(action: Action, output: Any, library: Library) -> date | None:
    """Return the day up to which open items were counted, if the answer says it."""
    return day_of(library.row_parts(action.resource).value("day", output)) if isinstance(output, dict) else None
