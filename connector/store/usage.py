"""Credit usage: credits and calls by day, flow and action, and the last balance the service reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Insert, and_, func, select
from sqlalchemy.dialects import postgresql, sqlite

from connector.store.schema import balances, usage


@dataclass(frozen=True, slots=True)
class Spent:
    """The usage of one action on one day in one flow."""

    day: str
    flow: str
    label: str
    calls: int
    credits: Decimal


@dataclass(frozen=True, slots=True)
class Charged:
    """What one label has cost over all days."""

    label: str
    calls: int
    credits: Decimal
    last_on: str


def _add_statement(dialect: Any) -> Insert:
    added = dialect.insert(usage)
    more = {"calls": usage.c.calls + added.excluded.calls, "credits": usage.c.credits + added.excluded.credits}
    statement: Insert = added.on_conflict_do_update(index_elements=list(usage.primary_key), set_=more)
    return statement


def _replace_statement(dialect: Any) -> Insert:
    told = dialect.insert(balances)
    newer = {"balance": told.excluded.balance, "told_at": told.excluded.told_at}
    statement: Insert = told.on_conflict_do_update(index_elements=list(balances.primary_key), set_=newer)
    return statement


# Built once: building a statement takes longer than executing it.
_ADD_USAGE = {"sqlite": _add_statement(sqlite), "postgresql": _add_statement(postgresql)}
_SAVE_BALANCE = {"sqlite": _replace_statement(sqlite), "postgresql": _replace_statement(postgresql)}


def add(
    connection: Connection, credential: str, day: str, flow: str, label: str, credits: Decimal, calls: int = 1
) -> None:
    """Add calls and credits to the day's usage."""
    line = {"credential": credential, "day": day, "flow": flow, "label": label, "calls": calls, "credits": credits}
    connection.execute(_ADD_USAGE[connection.dialect.name], line)


def spent(connection: Connection, credential: str, since: str) -> Sequence[Spent]:
    """Return all usage since a day, by day."""
    rows = connection.execute(
        select(usage).where(and_(usage.c.credential == credential, usage.c.day >= since)).order_by(usage.c.day)
    )
    return [Spent(row.day, row.flow, row.label, row.calls, Decimal(row.credits)) for row in rows]


def charged(connection: Connection, credential: str, prefix: str) -> Sequence[Charged]:
    """Return what was ever spent under labels that begin with a prefix, the last charged first."""
    sums = (func.sum(usage.c.calls).label("calls"), func.sum(usage.c.credits).label("credits"))
    last = func.max(usage.c.day).label("last_on")
    line = and_(usage.c.credential == credential, usage.c.label.startswith(prefix, autoescape=True))
    rows = connection.execute(
        select(usage.c.label, *sums, last).where(line).group_by(usage.c.label).order_by(last.desc())
    )
    return [Charged(row.label.removeprefix(prefix), int(row.calls), Decimal(row.credits), row.last_on) for row in rows]


def spent_on(connection: Connection, credential: str, day: str, flow: str | None = None) -> Decimal:
    """Return the credits spent on one day, in one flow or in all."""
    line = and_(usage.c.credential == credential, usage.c.day == day)
    if flow is not None:
        line = and_(line, usage.c.flow == flow)
    return Decimal(connection.execute(select(func.coalesce(func.sum(usage.c.credits), 0)).where(line)).scalar_one())


def save_balance(connection: Connection, credential: str, balance: Decimal, now: datetime) -> None:
    """Store the last reported balance."""
    told = {"credential": credential, "balance": balance, "told_at": now}
    connection.execute(_SAVE_BALANCE[connection.dialect.name], told)


def last_balance(connection: Connection, credential: str) -> tuple[Decimal, datetime] | None:
    """Return the last reported balance and its time."""
    row = connection.execute(select(balances).where(balances.c.credential == credential)).one_or_none()
    if row is None:
        return None
    told_at: datetime = row.told_at if row.told_at.tzinfo else row.told_at.replace(tzinfo=UTC)
    return Decimal(row.balance), told_at
