"""Changes that PostgreSQL makes with one statement, which is its own transaction: one round trip instead of three.

Such a change must be safe to make again, since a connection that is lost meanwhile does not say whether it was
committed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from connector.store.compiled_statement import CompiledStatement


class NotDecided(Exception):
    """The statement has changed nothing, and only the ordinary way can tell why."""


@dataclass(frozen=True, slots=True)
class DirectChange:
    """A change in two forms that do the same."""

    ordinary: Callable[[Connection], Any]
    """The change as on every database."""
    statement: CompiledStatement
    parameters: Mapping[str, Any]
    result: Callable[[tuple[Any, ...] | None], Any] | None = None
    """What its answer means; it may raise `NotDecided`. Without it the answer is not read."""
    many: CompiledStatement | None = None
    """A statement that makes many such changes at once; its parameters are lists."""

    def __call__(self, connection: Connection) -> Any:
        """Make it the ordinary way."""
        return self.ordinary(connection)


def make_directly(connection: Connection, changes: Sequence[DirectChange]) -> list[Any]:
    """Make each change by its statement and return the results; what is not decided is `NotDecided`."""
    handle: Any = connection.connection.dbapi_connection
    with driver_errors(connection, handle):
        handle.autocommit = True
        try:
            many = changes[0].many
            if len(changes) > 1 and many is not None and all(change.many is many for change in changes):
                columns = {name: [one.parameters[name] for one in changes] for name in changes[0].parameters}
                handle.execute(many.sql(connection), columns)
                return [None] * len(changes)
            return [_make(connection, handle, change) for change in changes]
        finally:
            if not handle.closed:
                handle.autocommit = False


def _make(connection: Connection, handle: Any, change: DirectChange) -> Any:
    cursor = handle.execute(change.statement.sql(connection), change.parameters)
    if change.result is None:
        return None
    try:
        return change.result(cursor.fetchone())
    except NotDecided:
        return NotDecided


@contextmanager
def driver_errors(connection: Connection, handle: Any) -> Iterator[None]:
    """Raise the driver's errors as SQLAlchemy would."""
    dialect: Any = connection.dialect
    try:
        yield
    except dialect.dbapi.Error as error:
        lost = handle.closed or dialect.is_disconnect(error, handle, None)
        if lost:
            connection.invalidate(error)
        raise DBAPIError.instance(
            None, None, error, dialect.dbapi.Error, connection_invalidated=lost, dialect=dialect
        ) from error
