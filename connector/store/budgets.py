"""How many credits a credential may spend, as its owner has set it."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from sqlalchemy import Connection, delete, insert, select

from connector.store.schema import budgets


@dataclass(frozen=True, slots=True)
class Budget:
    """Credits a day, credits a day for each flow, and credits that only writes may spend."""

    per_day: int | None = None
    per_flow: int | None = None
    hold_back: int = 0


def set_budget(connection: Connection, credential: str, budget: Budget) -> None:
    """Replaces the credential's budget."""
    connection.execute(delete(budgets).where(budgets.c.credential == credential))
    connection.execute(insert(budgets).values(credential=credential, **asdict(budget)))


def budget_of(connection: Connection, credential: str) -> Budget:
    """The credential's budget; without one, nothing is bounded."""
    row = connection.execute(select(budgets).where(budgets.c.credential == credential)).one_or_none()
    return Budget() if row is None else Budget(row.per_day, row.per_flow, row.hold_back)
