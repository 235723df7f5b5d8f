"""Converts a result to chart data, by what its fields mean. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from connector.core.data.row_parts import RowParts, money_of
from connector.core.manifest.library import Library
from connector.core.manifest.model import Action
from connector.core.values.money import total
from connector.interfaces.console.figures.open_items import AGES, cutoff_of, sides_of
from connector.interfaces.result_rows import Row, Table, day_of, newest_first, table_of
from connector.interfaces.result_text import ResultText

MAX_BARS = 14


@dataclass(frozen=True, slots=True)
class BarChart:
    """Amounts by label, in one or more series."""

    labels: tuple[str, ...]
    series: Mapping[str, tuple[Decimal, ...]]


@dataclass(frozen=True, slots=True)
class LineChart:
    """An amount by day."""

    days: tuple[date, ...]
    values: tuple[Decimal, ...]
    is_balance: bool
    """Whether the values are balances; otherwise they are cumulated movements."""


Chart = BarChart | LineChart


def chart_of(action: Action, output: Any, text: ResultText, library: Library) -> Chart | None:
    """Return the chart that the manifest declares, if the output has enough data."""
    table = table_of(action, output, text)
    match action.raw["output"].get("view"):
        case "open_items":
            return _open_items_by_age(table, text.parts, cutoff_of(action, output, library))
        case "trial_balance":
            return _largest_balances(table.sources, text.parts, library)
        case "balance_over_time":
            return _balance_line(table, text.parts)
        case _:
            return None


def _open_items_by_age(table: Table, parts: RowParts, cutoff: date | None) -> BarChart | None:
    if cutoff is None or not table.rows:
        return None
    series = {side.name: tuple(age.amount for age in side.by_age) for side in sides_of(table, parts, cutoff)}
    return BarChart(tuple(f"age_{index}" for index in AGES), series)


def _largest_balances(rows: Sequence[Row], parts: RowParts, library: Library) -> BarChart | None:
    balances: list[tuple[str, Decimal]] = []
    for row in rows:
        balance = library.balance(parts.value("amount", row))
        signed = balance.signed if balance is not None else None
        if signed:
            names = (parts.value("number", row), parts.value("name", row))
            balances.append((" ".join(str(name) for name in names if name), signed))
    largest = sorted(balances, key=lambda one: abs(one[1]), reverse=True)[:MAX_BARS]
    return BarChart(tuple(name for name, _ in largest), {"balance": tuple(v for _, v in largest)}) if largest else None


def _balance_line(table: Table, parts: RowParts) -> LineChart | None:
    """Balances reported by the bank if all rows of one account have them, else cumulated movements."""
    rows = newest_first(table, parts).sources[::-1]
    dated = [(day, row) for row in rows if (day := day_of(parts.value("day", row)))]
    if len({day for day, _ in dated}) < 2:
        return None
    balances = [money_of(parts.value("balance", row)) for _, row in dated]
    one_account = len({parts.value("account", row) for _, row in dated}) == 1
    is_balance = one_account and all(value is not None for value in balances)
    by_day: dict[date, Decimal] = {}
    running = Decimal(0)
    for (day, row), balance in zip(dated, balances, strict=True):
        running = total([running, parts.amount(row) or Decimal(0)])
        by_day[day] = balance if is_balance and balance is not None else running
    return LineChart(tuple(by_day), tuple(by_day.values()), is_balance)
