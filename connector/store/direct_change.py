"""Changes that PostgreSQL makes with one statement, which is its own transaction: one round trip instead of three.

Such a change must be safe to make again, since a connection that is lost meanwhile does not say whether it was
committed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from connector.store.body_sealer import cached_sealer
from connector.store.compiled_statement import CompiledStatement


class NotDecided(Exception):
    """The statement has changed nothing, and only the ordinary way can tell why."""


@dataclass(frozen=True, slots=True)
class DirectChange:
    """A change in two forms that do the same."""

    ordinary: Callable[[Connection], Any]
    """The change as on every database."""
    statement: CompiledStatement
    parameters: Callable[[Connection], Mapping[str, Any] | None]
    """Makes its parameters, in the thread that writes; None when a key of the database was not read yet."""
    result: Callable[[tuple[Any, ...] | None], Any] | None = None
    """What its answer means; it may raise `NotDecided`. Without it the answer is not read."""
    takes_many: bool = False
    """Whether the statement makes many such changes at once: its parameters are lists."""

    def __call__(self, connection: Connection) -> Any:
        """Make it the ordinary way."""
        return self.ordinary(connection)


def sealed(connection: Connection, parameters: Mapping[str, Any], name: str) -> dict[str, Any] | None:
    """Return parameters of which one is encrypted; None when the key for that was not read yet."""
    sealer = cached_sealer(connection)
    return None if sealer is None else {**parameters, name: sealer.seal(parameters[name])}


def make_directly(connection: Connection, changes: Sequence[DirectChange]) -> list[Any]:
    """Make each change by its statement and return the results; what is not decided is `NotDecided`."""
    handle: Any = connection.connection.dbapi_connection
    results: list[Any] = []
    set_autocommit(connection, True)
    with driver_errors(connection, handle):
        for statement, group in groupby(changes, key=lambda change: change.statement):
            alike = list(group)
            if alike[0].takes_many:
                results += _make_many(connection, handle, statement, alike)
            else:
                results += [_make(connection, handle, change) for change in alike]
    return results


def set_autocommit(connection: Connection, wanted: bool) -> None:
    """Let each statement be a transaction of its own, or not; it is set for the connection, so only when it changes."""
    handle: Any = connection.connection.dbapi_connection
    if handle.autocommit is not wanted and not handle.closed:
        with driver_errors(connection, handle):
            handle.autocommit = wanted


def _make_many(
    connection: Connection, handle: Any, statement: CompiledStatement, changes: Sequence[DirectChange]
) -> list[Any]:
    rows = [change.parameters(connection) for change in changes]
    if None in rows:
        return [NotDecided] * len(changes)
    columns = {name: [row[name] for row in rows if row] for name in rows[0] or ()}
    handle.execute(statement.sql(connection), columns)
    return [None] * len(changes)


def _make(connection: Connection, handle: Any, change: DirectChange) -> Any:
    parameters = change.parameters(connection)
    if parameters is None:
        return NotDecided
    cursor = handle.execute(change.statement.sql(connection), parameters)
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
