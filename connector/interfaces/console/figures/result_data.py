"""Converts a result to table and chart data. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from connector.core.data.templates import at
from connector.core.manifest.model import Action, Trigger
from connector.core.values.money import as_money, total
from connector.interfaces.result_text import is_number

AGE_LIMITS = (30, 60, 90)
"""Upper limits in days; older items form a fourth group."""
MAX_BARS = 14
MAX_COLUMNS = 7


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns; `numeric` names the columns with numbers."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    numeric: frozenset[str]
    group: tuple[str, ...] = ()
    """The fields that the rows of a group have in common; they are no columns."""


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


def rows_of(output: Any, path: str | None = None) -> list[Mapping[str, Any]]:
    """Return the rows of an output: those at a declared path, its items, or the resource itself."""
    if path is not None:
        return list(_rows_at(output, path.removesuffix("[]").split("[]."), {}))
    if isinstance(output, Mapping) and isinstance(output.get("items"), list):
        return [row for row in output["items"] if isinstance(row, Mapping)]
    return [output] if isinstance(output, Mapping) else []


def _rows_at(holder: Any, names: Sequence[str], above: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the innermost rows, each with what the rows that hold it say."""
    found = holder.get(names[0]) if isinstance(holder, Mapping) else None
    for row in found if isinstance(found, list) else ():
        if isinstance(row, Mapping):
            merged = {**above, **row}
            yield from [merged] if len(names) == 1 else _rows_at(row, names[1:], merged)


def declared_rows(manifest: Action | Trigger, output: Any) -> list[Mapping[str, Any]]:
    """Return the rows of an output as its manifest declares them."""
    return rows_of(output, manifest.raw["output"].get("table", {}).get("rows"))


def table_of(manifest: Action | Trigger, output: Any) -> Table:
    """Return a table with the manifest's columns, or else the first columns with simple values."""
    declared = manifest.raw["output"].get("table", {})
    rows = declared_rows(manifest, output)
    columns = list(declared.get("columns") or manifest.raw["output"].get("columns", ()))
    if not columns:
        plain = [name for row in rows[:20] for name, value in row.items() if not isinstance(value, Mapping | list)]
        columns = list(dict.fromkeys(plain))[:MAX_COLUMNS]
    group = tuple(declared.get("group", ()))
    flat = tuple({name: at(row, name) for name in (*group, *columns)} | _currency(row) for row in rows)
    numeric = frozenset(
        name for name in columns if any(is_number(row[name]) for row in flat) and not _has_text(flat, name)
    )
    return Table(tuple(columns), flat, numeric, group)


def chart_of(action: Action, output: Any) -> Chart | None:
    """Return the chart that the manifest declares, if the output has enough data."""
    match action.raw["output"].get("view"):
        case "open_items":
            return _open_items_by_age(output)
        case "trial_balance":
            return _largest_balances(rows_of(output))
        case "balance_over_time":
            return _balance_line(rows_of(output))
        case _:
            return None


def _open_items_by_age(output: Any) -> BarChart | None:
    if not isinstance(output, Mapping) or not output.get("konten"):
        return None
    cutoff = day_of(output.get("stichtag"))
    if cutoff is None:
        return None
    sums: dict[str, list[Decimal]] = {"debitors": [], "creditors": []}
    for side, wanted in (("debitors", True), ("creditors", False)):
        for index in range(len(AGE_LIMITS) + 1):
            posts = [
                amount
                for account in output["konten"]
                if bool(account.get("isDebitor")) is wanted
                for post in account.get("posten") or ()
                if age_of(cutoff, post) == index and (amount := _money(post.get("saldo"))) is not None
            ]
            sums[side].append(total(posts) if posts else Decimal(0))
    labels = ("age_0", "age_1", "age_2", "age_3")
    return BarChart(labels, {side: tuple(values) for side, values in sums.items() if any(values)})


def age_of(cutoff: date, post: Mapping[str, Any]) -> int | None:
    """Return the group of an open item's age, by its document date."""
    day = day_of(post.get("belegdatum"))
    if day is None:
        return None
    days = (cutoff - day).days
    return next((index for index, bound in enumerate(AGE_LIMITS) if days <= bound), len(AGE_LIMITS))


def _largest_balances(rows: Sequence[Mapping[str, Any]]) -> BarChart | None:
    balances: list[tuple[str, Decimal]] = []
    for row in rows:
        balance = row.get("saldo")
        amount = _money(balance.get("betrag")) if isinstance(balance, Mapping) else None
        if isinstance(balance, Mapping) and amount:
            signed = amount if balance.get("sollHabenKennzeichen") == "SOLL" else amount.copy_negate()
            balances.append((f"{row.get('kontonummer')} {row.get('kontobeschriftung') or ''}".strip(), signed))
    largest = sorted(balances, key=lambda one: abs(one[1]), reverse=True)[:MAX_BARS]
    return BarChart(tuple(name for name, _ in largest), {"balance": tuple(v for _, v in largest)}) if largest else None


def _balance_line(rows: Sequence[Mapping[str, Any]]) -> LineChart | None:
    """Balances reported by the bank if all rows of one account have them, else cumulated movements."""
    dated = sorted(
        ((day, _number(row.get("id")), row) for row in rows if (day := day_of(row.get("made_on")))),
        key=lambda one: one[:2],
    )
    if len({day for day, _, _ in dated}) < 2:
        return None
    snapshots = [(day, _money(at(row, "extra.account_balance_snapshot"))) for day, _, row in dated]
    one_account = len({row.get("account_id") for _, _, row in dated}) == 1
    is_balance = one_account and all(value is not None for _, value in snapshots)
    by_day: dict[date, Decimal] = {}
    running = Decimal(0)
    for (day, _, row), (_, snapshot) in zip(dated, snapshots, strict=True):
        running = total([running, _money(row.get("amount")) or Decimal(0)])
        by_day[day] = snapshot if is_balance and snapshot is not None else running
    return LineChart(tuple(by_day), tuple(by_day.values()), is_balance)


def _number(id: Any) -> int:
    return int(str(id)) if str(id).isdigit() else 0


def day_of(value: Any) -> date | None:
    """Return the day of a text, if it is one."""
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError:
        return None


def _money(value: Any) -> Decimal | None:
    try:
        return None if value is None or isinstance(value, bool) else as_money(value)
    except ValueError:
        return None


def _currency(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("currency_code", "waehrung") if row.get(name)}


def _has_text(rows: Sequence[Mapping[str, Any]], name: str) -> bool:
    return any(isinstance(row[name], str) and row[name] for row in rows)
