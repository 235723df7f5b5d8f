"""What SQLite and PostgreSQL do differently: timestamps as they return them, and INSERT … ON CONFLICT."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, overload

from sqlalchemy import Connection, Executable, Table
from sqlalchemy.dialects import postgresql, sqlite


@overload
def as_utc(moment: datetime) -> datetime: ...
@overload
def as_utc(moment: None) -> None: ...
@overload
def as_utc(moment: datetime | None) -> datetime | None: ...
def as_utc(moment: datetime | None) -> datetime | None:
    """Add the zone that SQLite does not store; all timestamps are written in UTC."""
    return moment if moment is None or moment.tzinfo else moment.replace(tzinfo=UTC)


def insert_into(table: Table, dialect: str) -> postgresql.Insert | sqlite.Insert:
    """Return an INSERT in the dialect of the database, which knows ON CONFLICT."""
    return postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)


@lru_cache(maxsize=64)
def _if_absent(table: Table, dialect: str) -> Executable:
    # SQLAlchemy does not keep the row count of an INSERT unless asked to.
    return insert_into(table, dialect).on_conflict_do_nothing().execution_options(preserve_rowcount=True)


def insert_if_absent(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert one row; False when a row with its key exists."""
    return connection.execute(_if_absent(table, connection.dialect.name), dict(row)).rowcount == 1


def insert_many(
    connection: Connection,
    table: Table,
    rows: Sequence[dict[str, Any]],
    on_conflict: Callable[[Any], Executable] = lambda insert: insert.on_conflict_do_nothing(),
) -> None:
    """Insert many rows; with those whose key exists, nothing is done, or what `on_conflict` adds to the statement."""
    if rows:
        connection.execute(on_conflict(insert_into(table, connection.dialect.name)), rows)
