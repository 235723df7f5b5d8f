"""INSERT … ON CONFLICT DO NOTHING, for SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from sqlalchemy import Column, Connection, Dialect, Table
from sqlalchemy.dialects import postgresql, sqlite

BATCH_SIZE = 500


def insert_if_absent(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Insert one row; False when a row with its key exists."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    # SQLAlchemy does not keep the row count of an INSERT unless asked to.
    counted = insert(table).on_conflict_do_nothing().execution_options(preserve_rowcount=True)
    return connection.execute(counted, dict(row)).rowcount == 1


def insert_many_if_absent(
    connection: Connection,
    table: Table,
    same: Mapping[str, Any],
    names: Sequence[str],
    rows: Sequence[Sequence[str | bytes]],
) -> None:
    """Insert many rows except those whose key exists. `same` holds the columns that are equal in all; the rest is
    text or bytes.

    One statement for hundreds of rows: executed row by row, the driver releases and reacquires the interpreter lock for
    each, which beside a busy thread takes longer than the insert itself.
    """
    dialect = connection.dialect
    mark = "%s" if dialect.name == "postgresql" else "?"
    common = tuple(_bind_value(table.c[name], dialect, value) for name, value in same.items())
    for at in range(0, len(rows), BATCH_SIZE):
        part = rows[at : at + BATCH_SIZE]
        values = tuple(chain.from_iterable((*common, *row) for row in part))
        connection.exec_driver_sql(_statement(table.name, (*same, *names), len(part), mark), values)


def _bind_value(column: Column[Any], dialect: Dialect, value: Any) -> Any:
    """Convert a value for the driver."""
    write = column.type.dialect_impl(dialect).bind_processor(dialect)
    return value if write is None else write(value)


@lru_cache(maxsize=64)
def _statement(table: str, names: tuple[str, ...], count: int, mark: str) -> str:
    """Build the INSERT. Table and column names are our own and need no quoting."""
    row = f"({', '.join([mark] * len(names))})"
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES {', '.join([row] * count)} ON CONFLICT DO NOTHING"  # noqa: S608
