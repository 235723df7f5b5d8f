"""Inserts that leave rows alone which are already there, on SQLite and PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from sqlalchemy import Column, Connection, Dialect, Table
from sqlalchemy.dialects import postgresql, sqlite

TOGETHER = 500


def insert_new(connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
    """Inserts one row; False when its key is taken."""
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    # How many rows an insert made is forgotten unless it is asked for: it is not so on every database.
    counted = insert(table).on_conflict_do_nothing().execution_options(preserve_rowcount=True)
    return connection.execute(counted, dict(row)).rowcount == 1


def insert_all_new(
    connection: Connection, table: Table, same: Mapping[str, Any], names: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """Inserts many rows, leaving out those whose key is taken. `same` is what all have in common; the rest is text.

    Hundreds of rows go in one statement, written by hand: row by row the database lets go of the interpreter each time
    and waits to get it back, which beside a busy thread takes longer than the inserting itself.
    """
    dialect = connection.dialect
    mark = "%s" if dialect.name == "postgresql" else "?"
    common = tuple(_written(table.c[name], dialect, value) for name, value in same.items())
    for at in range(0, len(rows), TOGETHER):
        part = rows[at : at + TOGETHER]
        values = tuple(chain.from_iterable((*common, *row) for row in part))
        connection.exec_driver_sql(_statement(table.name, (*same, *names), len(part), mark), values)


def _written(column: Column[Any], dialect: Dialect, value: Any) -> Any:
    """A value as the driver takes it."""
    write = column.type.dialect_impl(dialect).bind_processor(dialect)
    return value if write is None else write(value)


@lru_cache(maxsize=64)
def _statement(table: str, names: tuple[str, ...], count: int, mark: str) -> str:
    """Table and columns are ours and need no quoting."""
    row = f"({', '.join([mark] * len(names))})"
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES {', '.join([row] * count)} ON CONFLICT DO NOTHING"  # noqa: S608
