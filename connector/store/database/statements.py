"""What SQLite and PostgreSQL do differently: timestamps as they return them, INSERT … ON CONFLICT, and the clock.

The clock is the one that all processes on a database share, which no step of a host's wall clock disturbs. PostgreSQL
has its own. With SQLite all processes are on one machine: seconds since it was started, suspended time included; they
can only be compared until it is started again, so the clock has a name.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, overload

from sqlalchemy import Connection, Executable, Float, Table, cast, func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.elements import ColumnElement


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


BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def seconds_since_start() -> float:
    """Return the seconds since the start, suspended time included where the system counts it."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


@cache
def boot_id() -> str:
    """Return what identifies this start of the machine, where that is known.

    Where it is not, a time before the start lies in the past or in the future: both only make us wait longer.
    """
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return "boot"


OF_POSTGRESQL = "database"
POSTGRESQL_SECONDS: ColumnElement[float] = cast(func.extract("epoch", func.clock_timestamp()), Float(53))


def name_and_seconds(connection: Connection) -> tuple[str, float]:
    """Return the clock's name and its time."""
    if connection.dialect.name == "postgresql":
        return OF_POSTGRESQL, connection.execute(select(POSTGRESQL_SECONDS)).scalar_one()
    return boot_id(), seconds_since_start()
