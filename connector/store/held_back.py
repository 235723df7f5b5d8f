"""Writes that were held back because an equal one is of unknown outcome: which run each waits for.

A row names the attempt that was held back. Whoever runs it again becomes the owner of its run, and the row counts no
longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection, and_, delete, func, select, update

from connector.store import runs
from connector.store.insert_once import insert_if_absent
from connector.store.runs import Run
from connector.store.schema import held_back
from connector.store.schema import runs as run_rows

_IS_HELD = and_(run_rows.c.id == held_back.c.run, run_rows.c.owner == held_back.c.owner, run_rows.c.state == "refused")


def record(connection: Connection, held: Run, waits_for: str, now: datetime) -> None:
    """Record that a run, which was not sent, waits for another to be settled."""
    values = {"workspace": held.workspace, "waits_for": waits_for, "owner": held.owner, "at": now.timestamp()}
    if not insert_if_absent(connection, held_back, {"run": held.id, **values}):
        connection.execute(update(held_back).where(held_back.c.run == held.id).values(values))


def count(connection: Connection, workspace: str, waits_for: str) -> int:
    """Return how many runs wait for this one."""
    mine = and_(held_back.c.workspace == workspace, held_back.c.waits_for == waits_for)
    return connection.execute(
        select(func.count()).select_from(held_back).join(run_rows, _IS_HELD).where(mine)
    ).scalar_one()


def waiting_for(connection: Connection, workspace: str, waits_for: str) -> Sequence[Run]:
    """Return the runs that wait for this one, the oldest first."""
    mine = and_(held_back.c.workspace == workspace, held_back.c.waits_for == waits_for)
    rows = connection.execute(select(run_rows).join(held_back, _IS_HELD).where(mine).order_by(run_rows.c.id))
    return [runs.read_row(connection, row) for row in rows]


def forget(connection: Connection, workspace: str, waits_for: str) -> None:
    """Forget what waited for a run, once it was decided."""
    mine = and_(held_back.c.workspace == workspace, held_back.c.waits_for == waits_for)
    connection.execute(delete(held_back).where(mine))
