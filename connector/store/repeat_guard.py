"""Holds back a write without a key that equals one made a short while ago: usually a second click or a retry.

One row per workspace and digest names the newest such write. It is replaced by a compare-and-set, so of two equal
writes at the same moment only one passes.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, bindparam, select, update
from sqlalchemy.dialects import postgresql, sqlite

from connector.store.compiled_statement import CompiledStatement
from connector.store.runs import NewRun
from connector.store.schema import repeat_guard, runs

WINDOW = timedelta(minutes=10)

_ROW: dict[str, Any] = {column.name: bindparam(column.name) for column in repeat_guard.columns}
_KEY = ("workspace", "digest")
_NEWEST: dict[str, Any] = {"run": bindparam("run"), "made_at": bindparam("made_at")}
_INSERT = CompiledStatement(
    sqlite=sqlite.insert(repeat_guard).values(_ROW).on_conflict_do_nothing(),
    postgresql=postgresql.insert(repeat_guard).values(_ROW).on_conflict_do_nothing(),
)
_REPLACE = CompiledStatement(
    sqlite=sqlite.insert(repeat_guard).values(_ROW).on_conflict_do_update(index_elements=_KEY, set_=_NEWEST),
    postgresql=postgresql.insert(repeat_guard).values(_ROW).on_conflict_do_update(index_elements=_KEY, set_=_NEWEST),
)


def record(connection: Connection, run: NewRun, now: datetime) -> None:
    """Record a write that is meant, whatever was made before."""
    _REPLACE(connection, _row(run, now))


def admit(connection: Connection, run: NewRun, now: datetime, window: timedelta = WINDOW) -> str | None:
    """Record a write and return None, or return the id of the equal one made within the window."""
    if _INSERT(connection, _row(run, now)) == 1:
        return None
    same = and_(repeat_guard.c.workspace == run.workspace, repeat_guard.c.digest == run.digest)
    found = connection.execute(select(repeat_guard.c.run, repeat_guard.c.made_at).where(same)).one()
    # A clock that was fast leaves a time in the future: such a write is recent too.
    recent = found.made_at > (now - window).timestamp()
    if recent and connection.execute(select(runs.c.state).where(runs.c.id == found.run)).scalar() != "refused":
        return str(found.run)
    replaced = connection.execute(
        update(repeat_guard).where(same, repeat_guard.c.run == found.run).values(run=run.id, made_at=now.timestamp())
    )
    return None if replaced.rowcount == 1 else str(found.run)


def _row(run: NewRun, now: datetime) -> dict[str, object]:
    return {"workspace": run.workspace, "digest": run.digest, "run": run.id, "made_at": now.timestamp()}
