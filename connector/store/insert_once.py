"""INSERT … ON CONFLICT, for SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, repeat
from typing import Any

from sqlalchemy import Column, Connection, Dialect, Executable, Table
from sqlalchemy.dialects import postgresql, sqlite

BATCH_SIZE = 500


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
    same: Mapping[str, Any],
    differing: Mapping[str, Sequence[str | bytes | None]],
    otherwise: str = "DO NOTHING",
) -> None:
    """Insert many rows; with those whose key exists, nothing is done, or what `otherwise` says.

    `same` holds the columns that are equal in all rows, `differing` the others, all of them text, bytes or null. It is
    one statement for hundreds of rows: executed row by row, the driver releases and reacquires the interpreter lock for
    each, which beside a busy thread takes longer than the insert itself.
    """
    dialect = connection.dialect
    mark = "%s" if dialect.name == "postgresql" else "?"
    common = tuple(_parameter(table.c[name], dialect, value) for name, value in same.items())
    names, columns = (*same, *differing), tuple(differing.values())
    for at in range(0, len(columns[0]), BATCH_SIZE):
        parts = [column[at : at + BATCH_SIZE] for column in columns]
        values = tuple(chain.from_iterable(zip(*map(repeat, common), *parts, strict=False)))
        connection.exec_driver_sql(_statement(table.name, names, len(parts[0]), mark, otherwise), values)


def _parameter(column: Column[Any], dialect: Dialect, value: Any) -> Any:
    """Return a column's value as the driver takes it."""
    process = column.type.dialect_impl(dialect).bind_processor(dialect)
    return value if process is None else process(value)


@lru_cache(maxsize=64)
def _statement(table: str, names: tuple[str, ...], count: int, mark: str, otherwise: str) -> str:
    """Build the INSERT. Table and column names are our own and need no quoting."""
    row = f"({', '.join([mark] * len(names))})"
    rows = ", ".join([row] * count)
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES {rows} ON CONFLICT {otherwise}"  # noqa: S608
