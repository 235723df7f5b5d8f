"""The record of a write without a key right before it is sent: one statement for PostgreSQL, two for SQLite.

They insert the guard against repeats and the run, unless an equal write is unresolved or was made a short while ago.
Then they insert nothing, and the ordinary statements find out what is in the way.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, exists, select
from sqlalchemy.dialects import postgresql, sqlite

from connector.store import store_clock
from connector.store.compiled_statement import CompiledStatement, constant
from connector.store.direct_change import DirectChange, NotDecided, sealed
from connector.store.runs import NewRun, insert, row_of
from connector.store.schema import UNRESOLVED, repeat_guard, runs

_GUARD: dict[str, ColumnElement[Any]] = {
    "workspace": bindparam("workspace", type_=repeat_guard.c.workspace.type),
    "digest": bindparam("digest", type_=repeat_guard.c.digest.type),
    "run": bindparam("id", type_=repeat_guard.c.run.type),
    "clock": constant(store_clock.OF_POSTGRESQL),
    "seconds": store_clock.POSTGRESQL_SECONDS,
    "made_at": bindparam("made_at", type_=repeat_guard.c.made_at.type),
}
_ROW = {column.name: bindparam(column.name, type_=column.type) for column in runs.columns}
_unresolved_equal = exists().where(
    runs.c.workspace == _GUARD["workspace"],
    runs.c.digest == _GUARD["digest"],
    UNRESOLVED,
)
_ADMIT = CompiledStatement(
    sqlite=sqlite.insert(repeat_guard)
    .from_select(
        list(_GUARD),
        select(*(bindparam("run_id" if name == "run" else name) for name in _GUARD)).where(~_unresolved_equal),
    )
    .on_conflict_do_nothing()
)
_guarded = (
    postgresql.insert(repeat_guard)
    .from_select(list(_GUARD), select(*_GUARD.values()).where(~_unresolved_equal))
    .on_conflict_do_nothing()
    .returning(repeat_guard.c.run)
    .cte("guarded")
)
_recorded = (
    postgresql.insert(runs)
    .from_select(list(_ROW), select(*_ROW.values()).where(exists(select(_guarded.c.run))))
    .returning(runs.c.id)
)
_RECORD = CompiledStatement(postgresql=_recorded)


def record_sending(run: NewRun, now: datetime, ordinary: Callable[[Connection], Any]) -> DirectChange:
    """Return the change that records a guarded write as being sent; `ordinary` does the same, or says what is wrong."""
    record = partial(_record, run=run, now=now, ordinary=ordinary)
    return DirectChange(record, _RECORD, partial(_row, run=run, now=now), _is_recorded)


def _record(connection: Connection, run: NewRun, now: datetime, ordinary: Callable[[Connection], Any]) -> Any:
    """Record it the ordinary way, in SQLite only when something is in the way."""
    if connection.dialect.name == "sqlite":
        clock, seconds = store_clock.name_and_seconds(connection)
        made = {"workspace": run.workspace, "digest": run.digest, "run_id": run.id, "made_at": now.timestamp()}
        if _ADMIT(connection, {**made, "clock": clock, "seconds": seconds}) == 1:
            insert(connection, run, "sending", now)
            return None
    return ordinary(connection)


def _row(connection: Connection, run: NewRun, now: datetime) -> dict[str, Any] | None:
    return sealed(connection, row_of(run, "sending", now), "inputs")


def _is_recorded(row: tuple[Any, ...] | None) -> None:
    if row is None:
        raise NotDecided
