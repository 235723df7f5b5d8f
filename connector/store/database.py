"""The database connection, with one writer thread that commits the changes of many callers together.

`write` queues a function for the writer and returns a future. The writer runs all queued functions in one transaction
and commits once (group commit); a future that is done is on disk. A function that fails fails alone: the others of its
batch are run again without it.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, Engine

from connector.store.direct_change import DirectChange
from connector.store.engines import postgresql_engine, sqlite_engine
from connector.store.identity import DatabaseIdentity
from connector.store.location import data_location as data_location
from connector.store.outage import OutageLog, is_contention, is_outage, log
from connector.store.revision import is_current, upgrade
from connector.store.write_connection import WRITE_SECONDS, Change, DatabaseBusy, WriteConnection, transaction

T = TypeVar("T")
MAX_BATCH = 256
GROUP_COMMIT_SECONDS = 0.02
"""How long a background change waits for others to share its commit."""
DEFERRED_SECONDS, DEFERRED_RETRY_SECONDS = 0.1, 1.0
"""How long a deferred change waits for others, and after an outage for the database."""
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
    future: Future[Any]
    urgent: bool
    durable: bool


class _Wake:
    """Wakes the writer thread, which then waits for the deferred changes to be due."""


class Database:
    """A database with its writer thread. Close it at the end."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._sqlite = engine.dialect.name == "sqlite"
        self.is_local = self._sqlite
        """Whether a read is so quick that an event loop need not hand it to a thread."""
        self._identity = DatabaseIdentity(engine)
        try:
            _make_current(engine)
        except BaseException:
            self._identity.close()
            raise
        self._outages = OutageLog()
        self._connection = WriteConnection(engine, self._outages, self._identity)
        self._write_lock = threading.Lock()
        self._queue: queue.SimpleQueue[_Job | _Wake | None] = queue.SimpleQueue()
        self._deferred: deque[Change] = deque()
        self._deferred_running = False
        self._deferred_due: float | None = None
        """When the writer thread runs the deferred changes, on the monotonic clock."""
        self._closed = False
        self._writer = threading.Thread(target=self._writer_loop, name="kontor-writer", daemon=True)
        self._writer.start()

    def write(self, change: Callable[[Connection], T], *, durable: bool = True) -> Future[T]:
        """Queue `change` for the next transaction; the future is done once it is on disk, safe from a power failure."""
        return self._enqueue(change, urgent=True, durable=durable)

    def write_blocking(self, change: Callable[[Connection], T], *, durable: bool = True) -> T:
        """Run `change` in the caller's thread and wait for it, which saves waking the writer thread.

        Without `durable` there is no wait for the disk: it survives a crash of this process, not a power failure.
        """
        with self._write_lock:
            return self._connection.run([change], durable)[0]  # type: ignore[no-any-return]

    def write_inline(self, change: Callable[[Connection], T]) -> Future[T]:
        """Run `change` in the event loop's thread if no lock must be waited for, otherwise queue it for the writer.

        It is not durable: it survives a crash of this process, not a power failure.
        """
        if self._sqlite and self._write_lock.acquire(blocking=False):
            future: Future[T] = Future()
            try:
                future.set_result(self._connection.run([change], durable=False, wait_for_lock=False)[0])
                return future
            except DatabaseBusy:
                pass
            except Exception as error:
                future.set_exception(error)
                return future
            finally:
                self._write_lock.release()
        return self.write(change, durable=False)

    def write_deferred(self, change: Callable[[Connection], Any]) -> None:
        """Run `change` shortly after, in the writer thread together with others; nobody waits for it."""
        if self._closed:
            raise RuntimeError("the database is closed")
        self._deferred.append(change)
        if self._deferred_due is None:
            self._schedule_deferred(DEFERRED_SECONDS)

    def write_background(self, change: Callable[[Connection], T], *, urgent: bool = False) -> Future[T]:
        """Queue a change that need not survive a power failure.

        Unless `urgent`, it waits a moment for others to share its commit.
        """
        return self._enqueue(change, urgent=urgent, durable=False)

    def _enqueue(self, change: Callable[[Connection], T], *, urgent: bool, durable: bool) -> Future[T]:
        if self._closed:
            raise RuntimeError("the database is closed")
        future: Future[T] = Future()
        self._queue.put(_Job(change, future, urgent, durable))
        return future

    def read(self, query: Callable[[Connection], T]) -> T:
        """Run `query` in the caller's thread, after the deferred changes and concurrently with other writes."""
        if self._deferred or self._deferred_running:
            with self._write_lock:
                self._run_with_deferred([], durable=False)
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
        if not self._closed:
            self._closed = True
            self._queue.put(None)
            self._writer.join()
            with self._write_lock:
                try:
                    if self._deferred:
                        self._run_with_deferred([], durable=False)
                except Exception as error:
                    log.error("%d changes were not stored: %s", len(self._deferred), type(error).__name__)
                self._connection.close()
            self.engine.dispose()
            self._identity.close()

    def _writer_loop(self) -> None:
        ending = False
        while not ending:
            batch, ending = self._next_batch()
            with self._write_lock:
                self._commit_batch(batch)
                if self._deferred_due is not None and time.monotonic() >= self._deferred_due:
                    with contextlib.suppress(Exception):  # logged; they are run later
                        self._run_with_deferred([], durable=False)

    def _next_batch(self) -> tuple[list[_Job], bool]:
        """Return all queued jobs, none once the deferred changes are due, and whether the database is closing."""
        batch: list[_Job] = []
        urgent = False
        while len(batch) < MAX_BATCH:
            try:
                job = self._queue.get_nowait() if urgent else self._queue.get(timeout=self._waiting_time(bool(batch)))
            except queue.Empty:
                break
            if job is None:
                return batch, True
            if isinstance(job, _Job) and job.future.set_running_or_notify_cancel():
                batch.append(job)
                urgent = urgent or job.urgent
        return batch, False

    def _waiting_time(self, has_jobs: bool) -> float | None:
        """Return how long the writer thread waits for the next job."""
        if has_jobs:
            return GROUP_COMMIT_SECONDS
        due = self._deferred_due
        return None if due is None else max(0.0, due - time.monotonic())

    def _schedule_deferred(self, seconds: float) -> None:
        self._deferred_due = time.monotonic() + seconds
        self._queue.put(_Wake())

    def _commit_batch(self, batch: list[_Job], until: float | None = None) -> None:
        """Commit a batch and complete its futures. The caller holds the write lock."""
        if not batch:
            return
        until = until or time.monotonic() + WRITE_SECONDS
        try:
            changes = [job.change for job in batch]
            results = self._run_with_deferred(changes, any(job.durable for job in batch), until=until)
        except BaseException as error:
            if len(batch) == 1 or is_outage(error):
                for job in batch:
                    job.future.set_exception(error)
                return
            for job in batch:  # one of them failed: run each in its own transaction
                self._commit_batch([job], until)
        else:
            for job, result in zip(batch, results, strict=True):
                job.future.set_result(result)

    def _run_with_deferred(self, changes: list[Change], durable: bool, until: float | None = None) -> list[Any]:
        """Run the deferred changes and these in one transaction. The caller holds the write lock."""
        self._deferred_running = True  # before they are taken: a reader must not find neither
        try:
            return self._run_all(changes, durable, until or time.monotonic() + WRITE_SECONDS)
        finally:
            self._deferred_running = False

    def _run_all(self, changes: list[Change], durable: bool, until: float) -> list[Any]:
        run = self._connection.run
        if changes and not self._sqlite and all(isinstance(change, DirectChange) for change in changes):
            return run(changes, durable, until=until)  # in one round trip, which the deferred ones would lengthen
        self._deferred_due = None  # before they are taken: who adds one later schedules it
        deferred = [self._deferred.popleft() for _ in range(len(self._deferred))]
        try:
            return run([*deferred, *changes], durable, until=until)[len(deferred) :] if deferred or changes else []
        except BaseException as error:
            if not deferred:
                raise
            if not isinstance(error, Exception) or is_outage(error):
                self._deferred.extendleft(reversed(deferred))  # nobody else has them: they are run later
                self._schedule_deferred(DEFERRED_RETRY_SECONDS)
                raise
        self._run_each_deferred(deferred, until)  # one of all these failed: run each in its own transaction
        return run(changes, durable, until=until) if changes else []

    def _run_each_deferred(self, deferred: list[Change], until: float) -> None:
        for place, change in enumerate(deferred):
            try:
                self._connection.run([change], durable=False, until=until)
            except Exception as error:
                if is_outage(error) or is_contention(error):
                    self._deferred.extendleft(reversed(deferred[place:]))
                    self._schedule_deferred(DEFERRED_RETRY_SECONDS)
                    return
                log.error("a change that nobody waits for was given up: %s", type(error).__name__)
