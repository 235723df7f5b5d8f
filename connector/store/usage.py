"""What was spent: credits and calls by day, flow and action, and the last balance that the service told."""

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
    """What one action cost on one day, in one flow."""

    day: str
    flow: str
    label: str
    calls: int
    credits: Decimal


def _adding(dialect: Any) -> Insert:
    added = dialect.insert(usage)
    more = {"calls": usage.c.calls + added.excluded.calls, "credits": usage.c.credits + added.excluded.credits}
    statement: Insert = added.on_conflict_do_update(index_elements=list(usage.primary_key), set_=more)
    return statement


def _replacing(dialect: Any) -> Insert:
    told = dialect.insert(balances)
    newer = {"balance": told.excluded.balance, "told_at": told.excluded.told_at}
    statement: Insert = told.on_conflict_do_update(index_elements=list(balances.primary_key), set_=newer)
    return statement


# Built once: making a statement takes longer than running it.
_SPEND = {"sqlite": _adding(sqlite), "postgresql": _adding(postgresql)}
_TELL = {"sqlite": _replacing(sqlite), "postgresql": _replacing(postgresql)}


def spend(
    connection: Connection, credential: str, day: str, flow: str, label: str, credits: Decimal, calls: int = 1
) -> None:
    """Adds calls to the day's count."""
    line = {"credential": credential, "day": day, "flow": flow, "label": label, "calls": calls, "credits": credits}
    connection.execute(_SPEND[connection.dialect.name], line)


def spent(connection: Connection, credential: str, since: str) -> Sequence[Spent]:
    """Everything spent since a day, by day."""
    rows = connection.execute(
        select(usage).where(and_(usage.c.credential == credential, usage.c.day >= since)).order_by(usage.c.day)
    )
    return [Spent(row.day, row.flow, row.label, row.calls, Decimal(row.credits)) for row in rows]


def spent_on(connection: Connection, credential: str, day: str, flow: str | None = None) -> Decimal:
    """The credits of one day, of one flow or of all."""
    line = and_(usage.c.credential == credential, usage.c.day == day)
    if flow is not None:
        line = and_(line, usage.c.flow == flow)
    return Decimal(connection.execute(select(func.coalesce(func.sum(usage.c.credits), 0)).where(line)).scalar_one())


def tell_balance(connection: Connection, credential: str, balance: Decimal, now: datetime) -> None:
    """Keeps the last balance told."""
    told = {"credential": credential, "balance": balance, "told_at": now}
    connection.execute(_TELL[connection.dialect.name], told)


def told_balance(connection: Connection, credential: str) -> tuple[Decimal, datetime] | None:
    """The last balance told, and when."""
    row = connection.execute(select(balances).where(balances.c.credential == credential)).one_or_none()
    if row is None:
        return None
    told_at: datetime = row.told_at if row.told_at.tzinfo else row.told_at.replace(tzinfo=UTC)
    return Decimal(row.balance), told_at
