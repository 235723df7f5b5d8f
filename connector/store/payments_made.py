"""What a workspace has paid on a day, for the limit of the day.

A payment counts from the moment before it is sent, in the same transaction, and whatever becomes of it, unless it
certainly did not happen. Those who reserve at the same time wait for one another at the row of the policy.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy import Connection, delete, func, select

from connector.store.insert_once import insert_if_absent
from connector.store.schema import payments_made, runs

NOT_MADE = ("refused", "rejected", "expired")


def total(connection: Connection, workspace: str, day: str, except_run: str) -> Decimal:
    """Return what the other runs of the workspace have paid on a day, in EUR."""
    mine = payments_made.c.workspace == workspace, payments_made.c.day == day, payments_made.c.run != except_run
    made = select(func.coalesce(func.sum(payments_made.c.cents), 0)).select_from(
        payments_made.join(runs, runs.c.id == payments_made.c.run)
    )
    cents = connection.execute(made.where(*mine, runs.c.state.not_in(NOT_MADE))).scalar_one()
    return Decimal(int(cents)) / 100


def record(connection: Connection, run: str, workspace: str, day: str, amount: Decimal) -> None:
    """Count a payment that is about to be sent."""
    forget(connection, run)
    row = {"run": run, "workspace": workspace, "day": day, "cents": int((amount * 100).to_integral_value())}
    insert_if_absent(connection, payments_made, row)


def forget(connection: Connection, run: str) -> None:
    """Do not count a payment: a person has said that it did not happen."""
    connection.execute(delete(payments_made).where(payments_made.c.run == run))
