"""What a result looks like to people: a table, and a chart where one says more. Pure: data in, data out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from connector.core.manifest.model import Action, Trigger
from connector.core.values.money import as_money, total
from connector.interfaces.cli.cells import at, is_number

AGES = (30, 60, 90)
"""Days: up to 30, up to 60, up to 90, and older."""
MOST_BARS = 14
MOST_COLUMNS = 7
MOST_ROWS = 500


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under named columns; `right` names those that hold numbers."""

    columns: tuple[str, ...]
    rows: tuple[Mapping[str, Any], ...]
    right: frozenset[str]
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Bars:
    """Amounts side by side; several series share the labels."""

    labels: tuple[str, ...]
    series: Mapping[str, tuple[Decimal, ...]]


@dataclass(frozen=True, slots=True)
class Course:
    """An amount over days."""

    days: tuple[date, ...]
    values: tuple[Decimal, ...]
    is_balance: bool
    """Whether the values are balances; otherwise they are what the movements add up to."""


Chart = Bars | Course


def rows_of(output: Any) -> list[Mapping[str, Any]]:
    """The rows of an output: its items, the posts of open items, or the resource itself."""
    if isinstance(output, Mapping) and isinstance(output.get("items"), list):
        return [row for row in output["items"] if isinstance(row, Mapping)]
    if isinstance(output, Mapping) and isinstance(output.get("konten"), list):
        return [
            {**post, "kontonummer": account.get("kontonummer"), "bezeichnung": account.get("bezeichnung")}
            for account in output["konten"]
            for post in account.get("posten") or ()
        ]
    return [output] if isinstance(output, Mapping) else []


def table_of(manifest: Action | Trigger, output: Any) -> Table:
    """The columns that the manifest names, or the first that hold something plain."""
    rows = rows_of(output)
    columns = list(manifest.raw["output"].get("columns", ()))
    if isinstance(output, Mapping) and isinstance(output.get("konten"), list):
        columns = ["kontonummer", "bezeichnung", "beleg", "belegdatum", "saldo", "buchungstext"]
    if not columns:
        plain = [name for row in rows[:20] for name, value in row.items() if not isinstance(value, Mapping | list)]
        columns = list(dict.fromkeys(plain))[:MOST_COLUMNS]
    flat = tuple({name: at(row, name) for name in columns} | _currency(row) for row in rows[:MOST_ROWS])
    right = frozenset(
        name for name in columns if any(is_number(row[name]) for row in flat) and not _has_text(flat, name)
    )
    return Table(tuple(columns), flat, right, max(0, len(rows) - MOST_ROWS))


def chart_of(action: Action, output: Any) -> Chart | None:
    """The chart of an action whose manifest asks for one, if the output holds enough for it."""
    match action.raw["output"].get("view"):
        case "open_items":
            return _by_age(output)
        case "trial_balance":
            return _balances(rows_of(output))
        case "balance_over_time":
            return _course(rows_of(output))
        case _:
            return None


def _by_age(output: Any) -> Bars | None:
    if not isinstance(output, Mapping) or not output.get("konten"):
        return None
    cutoff = _day(output.get("stichtag"))
    if cutoff is None:
        return None
    sums: dict[str, list[Decimal]] = {"debitors": [], "creditors": []}
    for side, wanted in (("debitors", True), ("creditors", False)):
        for place in range(len(AGES) + 1):
            posts = [
                amount
                for account in output["konten"]
                if bool(account.get("isDebitor")) is wanted
                for post in account.get("posten") or ()
                if _age(cutoff, post) == place and (amount := _money(post.get("saldo"))) is not None
            ]
            sums[side].append(total(posts) if posts else Decimal(0))
    labels = ("age_0", "age_1", "age_2", "age_3")
    return Bars(labels, {side: tuple(values) for side, values in sums.items() if any(values)})


def _age(cutoff: date, post: Mapping[str, Any]) -> int | None:
    day = _day(post.get("belegdatum"))
    if day is None:
        return None
    days = (cutoff - day).days
    return next((place for place, bound in enumerate(AGES) if days <= bound), len(AGES))


def _balances(rows: Sequence[Mapping[str, Any]]) -> Bars | None:
    found: list[tuple[str, Decimal]] = []
    for row in rows:
        balance = row.get("saldo")
        amount = _money(balance.get("betrag")) if isinstance(balance, Mapping) else None
        if isinstance(balance, Mapping) and amount:
            signed = amount if balance.get("sollHabenKennzeichen") == "SOLL" else amount.copy_negate()
            found.append((f"{row.get('kontonummer')} {row.get('kontobeschriftung') or ''}".strip(), signed))
    largest = sorted(found, key=lambda one: abs(one[1]), reverse=True)[:MOST_BARS]
    return Bars(tuple(name for name, _ in largest), {"balance": tuple(v for _, v in largest)}) if largest else None


def _course(rows: Sequence[Mapping[str, Any]]) -> Course | None:
    """Balances as the bank told them, if all rows are of one account and tell them; else the movements added up."""
    dated = sorted(
        ((day, _number(row.get("id")), row) for row in rows if (day := _day(row.get("made_on")))),
        key=lambda one: one[:2],
    )
    if len({day for day, _, _ in dated}) < 2:
        return None
    told = [(day, _money(at(row, "extra.account_balance_snapshot"))) for day, _, row in dated]
    one_account = len({row.get("account_id") for _, _, row in dated}) == 1
    is_balance = one_account and all(value is not None for _, value in told)
    by_day: dict[date, Decimal] = {}
    running = Decimal(0)
    for (day, _, row), (_, snapshot) in zip(dated, told, strict=True):
        running = total([running, _money(row.get("amount")) or Decimal(0)])
        by_day[day] = snapshot if is_balance and snapshot is not None else running
    return Course(tuple(by_day), tuple(by_day.values()), is_balance)


def _number(id: Any) -> int:
    return int(str(id)) if str(id).isdigit() else 0


def _day(value: Any) -> date | None:
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
