"""Credit budgets, as set by the owner of a credential."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from sqlalchemy import Connection, delete, insert, select

from connector.store.schema import budgets


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
