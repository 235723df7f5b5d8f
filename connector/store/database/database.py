"""The database, with one writer thread that commits the changes of many callers together.

There is one way to write: a change is queued, and the writer runs all that are queued in one transaction and commits
once (group commit). A change that fails fails alone: the others of its batch are run again without it. Who waits for it
uses `write`, whose future is done once it is committed. What nobody waits for uses `write_later`: it joins the next
commit within a tenth of a second, is made before any question, and survives an outage.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, Engine

from connector.store.database.engines import postgresql_engine, sqlite_engine
from connector.store.database.errors import OutageLog, is_contention, is_outage, log
from connector.store.database.files import data_location
from connector.store.database.identity import DatabaseIdentity
from connector.store.database.revision import is_current, upgrade

T = TypeVar("T")
Change = Callable[[Connection], Any]
WRITES = "kontor_writes"
"""An option of the connection that writes: what it reads may be undone."""
CACHE_KIB = 8_000
"""SQLite's cache for writing: a page of bank rows that does not fit is written to disk in parts, some of it twice."""
WRITE_SECONDS = 8.0
"""After this time a change that meets locks is not tried again. A frozen process loses its locks earlier."""
STALE_SQLITE = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}
"""Errors after which the file is opened again: it may have been replaced."""
MAX_BATCH = 256
LATER_SECONDS, RETRY_SECONDS = 0.1, 1.0
"""How long a change that nobody waits for waits for others, and after an outage for the database."""
MIGRATION_MS = 60_000
"""How long SQLite waits for another process that migrates the same file."""


def open_database(location: str | None = None) -> Database:
    """Open the database at `location` (default: `KONTOR_DATA`), creating or upgrading it as needed."""
    location = location or data_location()
    engine = postgresql_engine(location) if "://" in location else sqlite_engine(Path(location).expanduser())
    engine.update_execution_options(kontor_location=location)  # where the data key is, see audit_key.py
    return Database(engine)


def _make_current(engine: Engine) -> None:
    """Create or migrate the database if needed; raise if this code must not use it."""
    with engine.connect() as connection:
        sqlite = engine.dialect.name == "sqlite"
        if not is_current(connection):
            connection.detach()  # a migration has limits of its own: this connection does nothing else
            if sqlite:
                connection.exec_driver_sql(f"PRAGMA busy_timeout={MIGRATION_MS}")
                connection.rollback()
            with transaction(connection):
                upgrade(connection)
        if sqlite:  # not before: a foreign database stays as it is
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")


class _Job(NamedTuple):
    change: Callable[[Connection], Any]
    durable: bool
    future: Future[Any] | None
    """None where nobody waits for it."""


class Database:
    """A database with its writer thread. Close it at the end."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.is_local = engine.dialect.name == "sqlite"
        """Whether a read is so quick that an event loop need not hand it to a thread."""
        self._identity = DatabaseIdentity(engine)
        try:
            _make_current(engine)
        except BaseException:
            self._identity.close()
            raise
        self._outages = OutageLog()
        self._connection = WriteConnection(engine, self._outages, self._identity)
        self._jobs: deque[_Job] = deque()
        self._queued = threading.Condition()
        """Guards all that follows, and wakes the writer."""
        self._due: float | None = None
        """When the writer takes what is queued, on the monotonic clock."""
        self._later = 0
        """Changes that nobody waits for and that are not committed."""
        self._closed = False
        self._writer = threading.Thread(target=self._write_all, name="kontor-writer", daemon=True)
        self._writer.start()

    def write(self, change: Callable[[Connection], T], *, durable: bool = True) -> Future[T]:
        """Commit a change; the future is done once it is.

        If `durable`, it then survives a power failure, else only a crash of this process.
        """
        future: Future[T] = Future()
        self._queue(_Job(change, durable, future), 0.0)
        return future

    def write_later(self, change: Callable[[Connection], Any]) -> None:
        """Commit a change that nobody waits for."""
        self._queue(_Job(change, False, None), LATER_SECONDS)

    def read(self, query: Callable[[Connection], T]) -> T:
        """Ask something in the caller's thread, after the changes that nobody waits for."""
        if self._later:
            with suppress(Exception):  # they are made later, and the question itself tells whether the database answers
                self.write(_nothing, durable=False).result()
        began = time.monotonic()
        try:
            with self.engine.connect() as connection:
                result = query(connection)
        except Exception as error:
            self._outages.failed(error, writing=False)
            raise
        self._outages.succeeded(writing=False, began=began)
        return result

    def close(self) -> None:
        """Commit all queued changes, then close. What cannot be committed because the database is away is logged."""
        with self._queued:
            if self._closed:
                return
            self._closed = True
            self._queued.notify()
        self._writer.join()
        if self._jobs:
            log.error("%d changes were not stored", len(self._jobs))
        self._connection.close()
        self.engine.dispose()
        self._identity.close()

    def _queue(self, job: _Job, seconds: float) -> None:
        due = time.monotonic() + seconds
        with self._queued:
            if self._closed:
                raise RuntimeError("the database is closed")
            self._jobs.append(job)
            self._later += job.future is None
            if self._due is None or due < self._due:
                self._due = due
                self._queued.notify()

    def _write_all(self) -> None:
        while (batch := self._next_batch()) is not None:
            self._commit(batch)

    def _next_batch(self) -> list[_Job] | None:
        """Wait until something is due, and return what is queued; None at the end."""
        with self._queued:
            while not self._closed and (self._due is None or self._due > time.monotonic()):
                self._queued.wait(None if self._due is None else max(0.0, self._due - time.monotonic()))
            if self._closed and not self._jobs:
                return None
            batch = [self._jobs.popleft() for _ in range(min(MAX_BATCH, len(self._jobs)))]
            self._due = time.monotonic() if self._jobs else None
        return [job for job in batch if job.future is None or job.future.set_running_or_notify_cancel()]

    def _commit(self, batch: list[_Job], until: float | None = None) -> None:
        """Commit a batch in one transaction, or each change alone where one of them fails."""
        if not batch:
            return
        until = until or time.monotonic() + WRITE_SECONDS
        try:
            changes = [job.change for job in batch]
            results = self._connection.run(changes, any(job.durable for job in batch), until)
        except BaseException as error:
            if len(batch) == 1 or is_outage(error):
                self._fail(batch, error)
            else:
                for job in batch:
                    self._commit([job], until)
        else:
            for job, result in zip(batch, results, strict=True):
                self._done(job)
                if job.future is not None:
                    job.future.set_result(result)

    def _fail(self, batch: list[_Job], error: BaseException) -> None:
        """Tell those who wait; keep what nobody waits for while the database is away."""
        again: list[_Job] = []
        for job in batch:
            if job.future is not None:
                job.future.set_exception(error)
            elif is_outage(error) or is_contention(error):
                again.append(job)
            else:
                self._done(job)
                log.error("a change that nobody waits for was given up: %s", type(error).__name__)
        with self._queued:
            if again and not self._closed:
                self._jobs.extendleft(reversed(again))
                self._due = self._due or time.monotonic() + RETRY_SECONDS
            elif again:
                log.error("%d changes were not stored: %s", len(again), type(error).__name__)

    def _done(self, job: _Job) -> None:
        if job.future is None:
            with self._queued:
                self._later -= 1


def _nothing(connection: Connection) -> None:
    """Change nothing: what was queued before is made."""


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
