"""What keeps a write from being made a second time: equal ones of a moment ago, and those that wait for an unknown one.

Writes that were held back because an equal one is of unknown outcome: which run each waits for.

A row names the attempt that was held back. Whoever runs it again becomes the owner of its run, and the row counts no
longer.

Holds back a write without a key that equals one made a short while ago: usually a second click or a retry.

One row per workspace and digest names the newest such write. It is replaced by a compare-and-set, so of two equal
writes at the same moment only one passes. How long ago it was is judged by the clock that the database's processes
share, so a host whose clock is wrong holds back the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from sqlalchemy import Connection, Executable, and_, bindparam, delete, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from connector.core.values import json
from connector.store.database.statements import (
    OF_POSTGRESQL,
    POSTGRESQL_SECONDS,
    boot_id,
    insert_if_absent,
    insert_into,
    name_and_seconds,
    seconds_since_start,
)
from connector.store.runs import runs
from connector.store.runs.runs import NewRun, Run
from connector.store.schema import held_back, repeat_guard
from connector.store.schema import runs as run_rows
from connector.store.trust.sealing import opened

_IS_HELD = and_(run_rows.c.id == held_back.c.run, run_rows.c.owner == held_back.c.owner, run_rows.c.state == "refused")


def record_held(connection: Connection, held: Run, waits_for: str, now: datetime) -> None:
    """Record that a run, which was not sent, waits for another to be settled."""
    values = {"workspace": held.workspace, "waits_for": waits_for, "owner": held.owner, "at": now.timestamp()}
    if not insert_if_absent(connection, held_back, {"run": held.id, **values}):
        connection.execute(update(held_back).where(held_back.c.run == held.id).values(values))


def count_held(connection: Connection, workspace: str, waits_for: str) -> int:
    """Return how many runs wait for this one."""
    mine = and_(held_back.c.workspace == workspace, held_back.c.waits_for == waits_for)
    return connection.execute(
        select(func.count()).select_from(held_back).join(run_rows, _IS_HELD).where(mine)
    ).scalar_one()


def held_for(connection: Connection, workspace: str, waits_for: str) -> Sequence[Run]:
    """Return the runs that wait for this one, the oldest first."""
    mine = and_(held_back.c.workspace == workspace, held_back.c.waits_for == waits_for)
    rows = connection.execute(select(run_rows).join(held_back, _IS_HELD).where(mine).order_by(run_rows.c.id))
    return [runs.read_row(connection, row) for row in rows]


def forget_held(connection: Connection, workspace: str, waits_for: str) -> None:
    """Forget what waited for a run, once it was decided."""
    mine = and_(held_back.c.workspace == workspace, held_back.c.waits_for == waits_for)
    connection.execute(delete(held_back).where(mine))


ASSUMED = "assumed"
"""The proof of a refusal that no sentence of the service's description backs."""
_KEY = ("workspace", "digest")
_CHANGING = ("run", "clock", "seconds", "made_at")


def record_write(connection: Connection, run: NewRun, now: datetime) -> None:
    """Record a write that is meant, whatever was made before."""
    fresh = _fresh(connection.dialect.name)
    newest = {name: fresh.excluded[name] for name in _CHANGING}
    replace = fresh.on_conflict_do_update(index_elements=_KEY, set_=newest)
    connection.execute(replace, _row(connection, run, now))


def admit(connection: Connection, run: NewRun, now: datetime, window: timedelta) -> str | None:
    """Record a write and return None, or return the id of the equal one made within the window."""
    if connection.execute(_if_absent(connection.dialect.name), _row(connection, run, now)).rowcount == 1:
        return None
    same = and_(repeat_guard.c.workspace == run.workspace, repeat_guard.c.digest == run.digest)
    found = connection.execute(select(repeat_guard).where(same)).one()
    if found.run == run.id:
        return None  # the same run, tried again under its key
    clock, seconds = name_and_seconds(connection)
    # After a restart of the machine only the wall clock remains, which may have been wrong in either direction.
    ago = seconds - found.seconds if found.clock == clock else abs(now.timestamp() - found.made_at)
    recent = ago < window.total_seconds()
    if recent and not _did_not_happen(connection, found.run):
        return str(found.run)
    newest = {"run": run.id, "clock": clock, "seconds": seconds, "made_at": now.timestamp()}
    replaced = connection.execute(update(repeat_guard).where(same, repeat_guard.c.run == found.run).values(newest))
    return None if replaced.rowcount == 1 else str(found.run)


@cache
def _fresh(dialect: str) -> postgresql.Insert | sqlite.Insert:
    row: dict[str, Any] = {column.name: bindparam(column.name) for column in repeat_guard.columns}
    if dialect == "postgresql":
        row["seconds"] = POSTGRESQL_SECONDS
    return insert_into(repeat_guard, dialect).values(row)


@cache
def _if_absent(dialect: str) -> Executable:
    return _fresh(dialect).on_conflict_do_nothing().execution_options(preserve_rowcount=True)


def _did_not_happen(connection: Connection, run_id: str) -> bool:
    """Whether the run was provably not made, or a person has said that it did not happen."""
    row = connection.execute(select(run_rows.c.state, run_rows.c.outcome).where(run_rows.c.id == run_id)).one_or_none()
    if row is None or row.state not in {"settled", "refused"}:
        return False
    outcome = json.decode(opened(connection, row.outcome or "{}"))
    return outcome.get("happened") is False if row.state == "settled" else outcome.get("proof") != ASSUMED


def _row(connection: Connection, run: NewRun, now: datetime) -> dict[str, object]:
    row = {"workspace": run.workspace, "digest": run.digest, "run": run.id, "made_at": now.timestamp()}
    if connection.dialect.name == "postgresql":
        return {**row, "clock": OF_POSTGRESQL}
    return {**row, "clock": boot_id(), "seconds": seconds_since_start()}
