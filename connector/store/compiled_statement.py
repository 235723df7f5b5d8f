"""Statements that every write executes, compiled to SQL once.

SQLAlchemy processes a statement and its parameters at each execution; for a single row that takes longer than the
database itself. A `CompiledStatement` is compiled once per dialect and passed to SQLite's driver directly. Its
parameters must be text and numbers, since nothing converts them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from sqlalchemy import ClauseElement, Column, ColumnElement, Connection, Dialect, Exists, literal_column, select


@lru_cache(maxsize=256)
def converter(column: Column[Any], dialect: Dialect) -> Callable[[Any], Any]:
    """Return what makes of a column's value a parameter for the driver, where SQLAlchemy is passed by."""
    return column.type.dialect_impl(dialect).bind_processor(dialect) or (lambda value: value)


def constant(value: str | int) -> ColumnElement[Any]:
    """Return a value of our own as a part of the statement, since a compiled one takes only the caller's parameters."""
    return literal_column(repr(value))


class CompiledStatement:
    """One statement, or one per dialect where they differ."""

    def __init__(self, statement: ClauseElement | None = None, **by_dialect: ClauseElement) -> None:
        self._statements = by_dialect
        self._statement = statement
        self._ready: dict[str, tuple[str, tuple[str, ...] | None]] = {}

    def __call__(self, connection: Connection, parameters: Mapping[str, Any]) -> int:
        """Execute it and return the number of affected rows."""
        rows: int = self._execute(connection, parameters).rowcount
        return rows

    def many(self, connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
        """Execute it for each of many rows."""
        sql, order = self._compiled(connection)
        if order is None:
            connection.exec_driver_sql(sql, [dict(row) for row in rows])
            return
        handle: Any = connection.connection.dbapi_connection
        handle.executemany(sql, [[row[name] for name in order] for row in rows])

    def first(self, connection: Connection, parameters: Mapping[str, Any]) -> Any:
        """Execute it and return the first row; None when there is none."""
        row = self._execute(connection, parameters).fetchone()
        return None if row is None else tuple(row)

    def sql(self, connection: Connection) -> str:
        """Return its text for the driver."""
        return self._compiled(connection)[0]

    def _compiled(self, connection: Connection) -> tuple[str, tuple[str, ...] | None]:
        name = connection.dialect.name
        ready = self._ready.get(name)
        if ready is None:
            ready = self._ready[name] = self._compile(connection)
        return ready

    def _execute(self, connection: Connection, parameters: Mapping[str, Any]) -> Any:
        sql, order = self._compiled(connection)
        if order is None:
            return connection.exec_driver_sql(sql, dict(parameters))
        handle: Any = connection.connection.dbapi_connection
        return handle.execute(sql, [parameters[name] for name in order])

    def _compile(self, connection: Connection) -> tuple[str, tuple[str, ...] | None]:
        statement = self._statements.get(connection.dialect.name, self._statement)
        assert statement is not None
        compiled: Any = statement.compile(dialect=connection.dialect)
        return str(compiled), tuple(compiled.positiontup) if compiled.positional else None


class CompiledQuestion:
    """Whether there is any such row."""

    def __init__(self, rows: Exists) -> None:
        self._statement = CompiledStatement(select(rows))

    def __call__(self, connection: Connection, **parameters: Any) -> bool:
        """Ask it."""
        return bool(self._statement.first(connection, parameters)[0])
