"""What the pages about money say of an answer: ages of open items, payments in flight. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.library import Library
from connector.core.manifest.model import Action, Lookup
from connector.core.manifest.output_fields import DATE, output_fields
from connector.core.service_facts import payment_states
from connector.core.values.money import as_money, total
from connector.interfaces.console.figures.result_data import AGE_LIMITS, Table, age_of, day_of
from connector.runtime.connector import Connector

STAGES = ("in_flight", "settled", "failed")
LATEST = 10
"""Rows that are shown as the latest, and all others of their last day."""
AGES = tuple(range(len(AGE_LIMITS) + 1))


@dataclass(frozen=True, slots=True)
class Age:
    """The open items of one age: how many, and what they come to."""

    index: int
    count: int
    amount: Decimal


def with_rows(table: Table, keep: Sequence[bool]) -> Table:
    """Return the table with some of its rows."""
    return replace(table, rows=tuple(row for row, kept in zip(table.rows, keep, strict=True) if kept))


def ages_of(table: Table, cutoff: Any) -> list[int | None]:
    """Return the age of each open item by its document date."""
    last = day_of(cutoff)
    return [age_of(last, row) if last is not None else None for row in table.rows]


def by_age(table: Table, ages: Sequence[int | None]) -> list[Age]:
    """Return what is open, by age."""
    found = []
    for index in AGES:
        amounts = [as_money(row["saldo"]) for row, age in zip(table.rows, ages, strict=True) if age == index]
        found.append(Age(index, len(amounts), total(amounts) if amounts else Decimal(0)))
    return found


def account_input(connector: Connector) -> tuple[Field, Lookup]:
    """Return the input by which transactions of one account are listed, and the lookup that names the accounts."""
    accounts, transactions = connector.action_for("account_list"), connector.action_for("transaction_list")
    offered = ((field, connector.lookup(field.lookup.id)) for field in transactions.inputs if field.lookup is not None)
    return next((field, lookup) for field, lookup in offered if _path(lookup) == _path(accounts))


def _path(manifest: Action | Lookup) -> str | None:
    return manifest.request.path if manifest.request is not None else None


def day_column(action: Action, library: Library) -> str:
    """Return the field of a row that its resource declares as a day."""
    return next((one.name for one in output_fields(action, library) if one.format == DATE), "")


def last_days(table: Table, day: str) -> list[bool]:
    """Choose the newest rows by their day."""
    days = sorted((str(row.get(day) or "") for row in table.rows), reverse=True)
    oldest = days[min(LATEST, len(days)) - 1] if days else ""
    return [str(row.get(day) or "") >= oldest for row in table.rows]


def stage_of(payment: Mapping[str, Any]) -> str:
    """Return where a payment stands: in flight, settled, or come to nothing."""
    states, status = payment_states(), payment.get("status")
    if status not in states.final:
        return "in_flight"
    return "settled" if status in states.succeeded else "failed"


def cutoff_of(output: Any, today: date) -> Any:
    """Return the day at which open items were counted."""
    return output.get("stichtag") if isinstance(output, Mapping) and output.get("stichtag") else today.isoformat()
