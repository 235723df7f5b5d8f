"""Statements on the way of every call, made ready for the driver once.

SQLAlchemy turns a statement and its parameters into SQL anew at each execution; for the one row that every write waits
for, that takes longer than the database itself. A `Swift` statement is turned into SQL once per kind of database, and
handed to SQLite's driver directly. Its parameters must be plain text and numbers, since nothing converts them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ClauseElement, Connection


class Swift:
    """One statement, or one per kind of database where they differ."""

    def __init__(self, statement: ClauseElement | None = None, **by_dialect: ClauseElement) -> None:
        self._statements = by_dialect
        self._statement = statement
        self._ready: dict[str, tuple[str, tuple[str, ...] | None]] = {}

    def __call__(self, connection: Connection, parameters: Mapping[str, Any]) -> int:
        """Executes it, and tells how many rows it concerned."""
        name = connection.dialect.name
        ready = self._ready.get(name)
        if ready is None:
            ready = self._ready[name] = self._compile(connection)
        sql, order = ready
        if order is None:
            return connection.exec_driver_sql(sql, dict(parameters)).rowcount
        handle: Any = connection.connection.dbapi_connection
        rows: int = handle.execute(sql, [parameters[name] for name in order]).rowcount
        return rows

    def _compile(self, connection: Connection) -> tuple[str, tuple[str, ...] | None]:
        statement = self._statements.get(connection.dialect.name, self._statement)
        assert statement is not None
        compiled: Any = statement.compile(dialect=connection.dialect)
        return str(compiled), tuple(compiled.positiontup) if compiled.positional else None
