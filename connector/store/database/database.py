"""The database, with one writer thread that commits the changes of many callers together.

There is one way to write: a change is queued, and the writer runs all that are queued in one transaction and commits
once (group commit). A change that fails fails alone: the others of its batch are run again without it. Who waits for it
uses `write`, whose future is done once it is committed. What nobody waits for uses `write_later`: it joins the next
commit within a tenth of a second, is made before any question, and survives an outage.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
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
from connector.store.database.write_connection import WRITE_SECONDS, WriteConnection, transaction

T = TypeVar("T")
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
