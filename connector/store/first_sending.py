"""The record of a write without a key right before it is sent, as one statement for PostgreSQL.

It inserts the guard against repeats, the run and its entry in the audit log, unless an equal write is unresolved or was
made a short while ago. Then it inserts nothing, and the ordinary statements find out what is in the way.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, exists, func, literal_column, select
from sqlalchemy.dialects import postgresql

from connector.store import audit, store_clock
from connector.store.audit_key import cached_key
from connector.store.compiled_statement import CompiledStatement
from connector.store.direct_change import DirectChange, NotDecided
from connector.store.runs import NewRun, row_of
from connector.store.schema import UNRESOLVED, repeat_guard, runs
from connector.store.schema import audit as audit_table

AUDIT = "audit_"
"""Begins the names of the parameters of the entry."""

_GUARD: dict[str, ColumnElement[Any]] = {
    "workspace": bindparam("workspace", type_=repeat_guard.c.workspace.type),
    "digest": bindparam("digest", type_=repeat_guard.c.digest.type),
    "run": bindparam("id", type_=repeat_guard.c.run.type),
    "clock": literal_column(f"'{store_clock.OF_POSTGRESQL}'"),
    "seconds": store_clock.POSTGRESQL_SECONDS,
    "made_at": bindparam("made_at", type_=repeat_guard.c.made_at.type),
}
_ROW = {column.name: bindparam(column.name, type_=column.type) for column in runs.columns}
_unresolved_equal = exists().where(
    runs.c.workspace == _GUARD["workspace"],
    runs.c.digest == _GUARD["digest"],
    UNRESOLVED,
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
    .cte("recorded")
)
_ENTRY = {
    name: bindparam(f"{AUDIT}{name}", type_=audit_table.c[name].type) for name in (*audit.SIGNED, audit.SIGNATURE)
}
_audited = (
    postgresql.insert(audit_table)
    .from_select(list(_ENTRY), select(*_ENTRY.values()).where(exists(select(_recorded.c.id))))
    .returning(audit_table.c.id)
    .cte("audited")
)
_RECORD = CompiledStatement(postgresql=select(func.count()).select_from(_audited))


def record_sending(
    run: NewRun, now: datetime, entry: audit.NewRow, ordinary: Callable[[Connection], None]
) -> DirectChange:
    """Return the change that records a guarded write as being sent; `ordinary` does the same, or says what is wrong."""
    row = row_of(run, "sending", now)
    return DirectChange(ordinary, _RECORD, row, _is_recorded, sealed="inputs", more=partial(_signed, entry=entry))


def _signed(connection: Connection, entry: audit.NewRow) -> dict[str, Any] | None:
    key = cached_key(connection)
    return None if key is None else {f"{AUDIT}{name}": value for name, value in audit.signed(entry, key).items()}


def _is_recorded(row: tuple[Any, ...] | None) -> None:
    if row != (1,):
        raise NotDecided
