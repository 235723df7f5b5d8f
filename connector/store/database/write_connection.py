"""The one connection by which a process writes: transactions, retries within a budget of time, and reconnecting."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlalchemy import Connection, Engine

from connector.store.database.errors import OutageLog, is_contention
from connector.store.database.identity import DatabaseIdentity

Change = Callable[[Connection], Any]
WRITES = "kontor_writes"
"""An option of the connection that writes: what it reads may be undone."""
CACHE_KIB = 8_000
"""SQLite's cache for writing: a page of bank rows that does not fit is written to disk in parts, some of it twice."""
WRITE_SECONDS = 8.0
"""After this time a change that meets locks is not tried again. A frozen process loses its locks earlier."""
STALE_SQLITE = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}
"""Errors after which the file is opened again: it may have been replaced."""


class WriteConnection:
    """Opened when first needed, and again after the database went away. Used by one thread at a time."""

    def __init__(self, engine: Engine, outages: OutageLog, identity: DatabaseIdentity) -> None:
        self._engine = engine
        self._outages = outages
        self._identity = identity
        self._sqlite = engine.dialect.name == "sqlite"
        self._connection: Connection | None = None
        self._synchronous_full = True

    def run(self, changes: Sequence[Change], durable: bool, until: float) -> list[Any]:
        """Run changes in one transaction, and return their results.

        What certainly was not committed is run again: until the time `until` if a lock was in the way, and once if the
        connection was lost. A batch is not, since its caller then runs each change alone.
        """
        began = time.monotonic()
        reconnected = False
        while True:
            lost = committing = False
            try:
                connection = self._opened()
                self._identity.check(connection)
                self._set_durable(connection, durable)
                with transaction(connection):
                    results = [change(connection) for change in changes]
                    self._identity.check_before_commit()
                    committing = True
            except BaseException as error:
                lost = self._close_if_lost(error)
                in_time = time.monotonic() < until
                again = (lost and not reconnected) or (len(changes) == 1 and is_contention(error))
                if committing or not in_time or not again:
                    self._outages.failed(error, writing=True)
                    raise
                reconnected = reconnected or lost
            else:
                self._outages.succeeded(writing=True, began=began)
                return results

    def close(self) -> None:
        """Close the connection, if it is open."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _opened(self) -> Connection:
        if self._connection is None:
            self._connection = self._engine.connect().execution_options(**{WRITES: True})
            self._identity.connected()
            self._synchronous_full = True
            if self._sqlite:
                self._connection.exec_driver_sql(f"PRAGMA cache_size=-{CACHE_KIB}")
                self._connection.rollback()  # SQLAlchemy's state only
        return self._connection

    def _set_durable(self, connection: Connection, durable: bool) -> None:
        """It is set for the connection, so only when it changes."""
        if durable is self._synchronous_full:
            return
        if self._sqlite:
            handle: Any = connection.connection.dbapi_connection
            handle.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
        else:
            with connection.begin():
                connection.exec_driver_sql(f"SET synchronous_commit TO {'DEFAULT' if durable else 'off'}")
        self._synchronous_full = durable

    def _close_if_lost(self, error: BaseException) -> bool:
        """Close a connection that is of no use any more, so that the next change opens another."""
        connection = self._connection
        if connection is None:
            return False
        cause = getattr(error, "orig", None) or error
        if isinstance(cause, sqlite3.Error) and getattr(cause, "sqlite_errorcode", 0) & 0xFF in STALE_SQLITE:
            connection.invalidate()
        if not connection.invalidated:
            return False
        self.close()
        return True


@contextlib.contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """A transaction that has SQLite's write lock from the start."""
    if connection.dialect.name != "sqlite":
        with connection.begin():
            yield
        return
    # Without SQLAlchemy's transaction handling, which takes longer than SQLite itself.
    handle: Any = connection.connection.dbapi_connection
    handle.execute("BEGIN IMMEDIATE")
    try:
        yield
        handle.commit()
    except BaseException:
        with contextlib.suppress(sqlite3.Error):  # SQLite may have rolled back by itself
            handle.rollback()
        raise
    finally:
        if connection.in_transaction():
            connection.rollback()  # only SQLAlchemy's state; the real transaction is over
