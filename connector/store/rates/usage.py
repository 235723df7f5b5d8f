"""Credits: usage by day, flow and action, the last balance that the service reported, and budgets.

The credits of a payment are reserved when it is sent. They are charged when it settles; when it fails they expire, and
count no more. They belong to the day on which they were reserved.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Connection, Insert, Table, and_, delete, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from connector.core.service_facts import CHARGED, EXPIRED, RESERVED
from connector.store.database.statements import insert_if_absent
from connector.store.schema import balances, budgets, credit_reservations, usage


@dataclass(frozen=True, slots=True)
class Spent:
    """The usage of one action on one day in one flow."""

    day: str
    flow: str
    label: str
    calls: int
    credits: Decimal
    """Those that were charged."""
    reserved: Decimal = Decimal(0)
    """Those of payments under way."""


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
    insertion = dialect.insert(balances)
    newer = {"balance": insertion.excluded.balance, "told_at": insertion.excluded.told_at}
    statement: Insert = insertion.on_conflict_do_update(index_elements=list(balances.primary_key), set_=newer)
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
    ).all()
    line, table = ("day", "flow", "label"), credit_reservations.c
    mine = and_(table.credential == credential, table.day >= since, table.state != EXPIRED)
    columns = [table[name] for name in line]
    sums = select(*columns, table.state, func.sum(table.credits).label("credits")).where(mine)
    reserved = connection.execute(sums.group_by(*columns, table.state))
    of_payments = {(row.day, row.flow, row.label, row.state): Decimal(row.credits) for row in reserved}
    return [
        Spent(
            row.day,
            row.flow,
            row.label,
            row.calls,
            Decimal(row.credits) + of_payments.get((row.day, row.flow, row.label, CHARGED), Decimal(0)),
            of_payments.get((row.day, row.flow, row.label, RESERVED), Decimal(0)),
        )
        for row in rows
    ]


def reserve(
    connection: Connection, credential: str, payment_id: str, day: str, flow: str, label: str, credits: Decimal
) -> None:
    """Reserve the credits of a payment; one that is known keeps its state, whoever else finds it."""
    row = {"credential": credential, "payment_id": payment_id, "day": day, "flow": flow, "label": label}
    insert_if_absent(connection, credit_reservations, {**row, "credits": credits, "state": RESERVED})


def settle(connection: Connection, credential: str, states: Mapping[str, str]) -> None:
    """Let reservations become charged or expired, by payment; those that are so already stay."""
    table = credit_reservations.c
    for payment_id in reservations(connection, credential):
        if payment_id in states:
            mine = and_(table.credential == credential, table.payment_id == payment_id, table.state == RESERVED)
            connection.execute(update(credit_reservations).where(mine).values(state=states[payment_id]))


def reservations(connection: Connection, credential: str) -> dict[str, Decimal]:
    """Return the credits that are reserved now, by payment."""
    table = credit_reservations.c
    mine = and_(table.credential == credential, table.state == RESERVED)
    rows = connection.execute(select(table.payment_id, table.credits).where(mine))
    return {row.payment_id: Decimal(row.credits) for row in rows}


def reserved_since(connection: Connection, credential: str) -> str | None:
    """Return the day of the oldest reservation that is open; None without any."""
    table = credit_reservations.c
    mine = and_(table.credential == credential, table.state == RESERVED)
    oldest: str | None = connection.execute(select(func.min(table.day)).where(mine)).scalar_one()
    return oldest


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
    """Return the credits charged or reserved on one day, in one flow or in all."""

    def total(table: Table, *more: ColumnElement[bool]) -> Decimal:
        line = and_(table.c.credential == credential, table.c.day == day, *more)
        if flow is not None:
            line = and_(line, table.c.flow == flow)
        return Decimal(connection.execute(select(func.coalesce(func.sum(table.c.credits), 0)).where(line)).scalar_one())

    return total(usage) + total(credit_reservations, credit_reservations.c.state != EXPIRED)


def save_balance(connection: Connection, credential: str, balance: Decimal, now: datetime) -> None:
    """Store the last reported balance."""
    reported = {"credential": credential, "balance": balance, "told_at": now}
    connection.execute(_SAVE_BALANCE[connection.dialect.name], reported)


def last_balance(connection: Connection, credential: str) -> tuple[Decimal, datetime] | None:
    """Return the last reported balance and its time."""
    row = connection.execute(select(balances).where(balances.c.credential == credential)).one_or_none()
    if row is None:
        return None
    told_at: datetime = row.told_at if row.told_at.tzinfo else row.told_at.replace(tzinfo=UTC)
    return Decimal(row.balance), told_at


@dataclass(frozen=True, slots=True)
class Budget:
    """Credits per day, credits per day and flow, and credits reserved for writes."""

    per_day: int | None = None
    per_flow: int | None = None
    hold_back: int = 0


def set_budget(connection: Connection, credential: str, budget: Budget) -> None:
    """Replace the credential's budget."""
    connection.execute(delete(budgets).where(budgets.c.credential == credential))
    connection.execute(insert(budgets).values(credential=credential, **asdict(budget)))


def budget_of(connection: Connection, credential: str) -> Budget:
    """Return the credential's budget; without one, an unlimited budget."""
    row = connection.execute(select(budgets).where(budgets.c.credential == credential)).one_or_none()
    return Budget() if row is None else Budget(row.per_day, row.per_flow, row.hold_back)
