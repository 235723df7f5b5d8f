"""What was spent: credits and calls by day, flow and action, and the last balance that the service told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

from sqlalchemy import Connection, and_, func, insert, select, update

from connector.store.schema import balances, usage


@dataclass(frozen=True, slots=True)
class Spent:
    """What one action cost on one day, in one flow."""

    day: str
    flow: str
    label: str
    calls: int
    credits: Decimal


def spend(
    connection: Connection, credential: str, day: str, flow: str, label: str, credits: Decimal, calls: int = 1
) -> None:
    """Adds calls to the day's count."""
    line = and_(usage.c.credential == credential, usage.c.day == day, usage.c.flow == flow, usage.c.label == label)
    more = update(usage).where(line).values(calls=usage.c.calls + calls, credits=usage.c.credits + credits)
    if connection.execute(more).rowcount == 0:
        connection.execute(
            insert(usage).values(credential=credential, day=day, flow=flow, label=label, calls=calls, credits=credits)
        )


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
    mine = balances.c.credential == credential
    if connection.execute(update(balances).where(mine).values(balance=balance, told_at=now)).rowcount == 0:
        connection.execute(insert(balances).values(credential=credential, balance=balance, told_at=now))


def told_balance(connection: Connection, credential: str) -> tuple[Decimal, datetime] | None:
    """The last balance told, and when."""
    row = connection.execute(select(balances).where(balances.c.credential == credential)).one_or_none()
    if row is None:
        return None
    told_at: datetime = row.told_at if row.told_at.tzinfo else row.told_at.replace(tzinfo=UTC)
    return Decimal(row.balance), told_at
