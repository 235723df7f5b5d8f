"""The database connection, with one writer thread that commits the changes of many callers together.

`write` queues a function for the writer and returns a future. The writer runs all queued functions in one transaction
and commits once (group commit); a future that is done is on disk. A function that fails fails alone: the others of its
batch are run again without it.
"""

from __future__ import annotations

import contextlib
import os
import queue
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event

from connector.store.revision import is_current, upgrade

T = TypeVar("T")
MAX_BATCH = 256
GROUP_COMMIT_SECONDS = 0.02
"""How long a background change waits for others to share its commit."""
BUSY_TIMEOUT_MS = 30_000
"""How long SQLite waits for another process that writes to the same file."""
FILE = "kontor.db"


def data_location(env: Mapping[str, str] = os.environ) -> str:
    """Return `KONTOR_DATA` (a folder, or the URL of a PostgreSQL database), or the user's data folder."""
    given = env.get("KONTOR_DATA", "").strip()
    if given:
        return given
    home = env.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return str(Path(home) / "kontor")


def open_database(location: str | None = None) -> Database:
    """Open the database at `location` (default: `KONTOR_DATA`), creating or upgrading it as needed."""
    location = location or data_location()
    if "://" in location:
        return Database(create_engine(location, pool_pre_ping=True))
    folder = Path(location).expanduser()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    engine = create_engine(f"sqlite:///{folder / FILE}", connect_args={"check_same_thread": False})
    event.listen(engine, "connect", _prepare_sqlite)
    return Database(engine)


def _prepare_sqlite(handle: Any, _record: Any) -> None:
    handle.isolation_level = None  # we begin transactions ourselves, so that a write takes its lock at once
    for pragma in (f"busy_timeout={BUSY_TIMEOUT_MS}", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        handle.execute(f"PRAGMA {pragma}")


def _no_change(connection: Connection) -> None:
    """Do nothing: a change that only triggers the deferred ones."""


class _DatabaseBusy(Exception):
    """Another process holds SQLite's write lock."""


def _begin(handle: Any, wait_for_lock: bool) -> None:
    """Begin a transaction with SQLite's write lock; raise `_DatabaseBusy` instead of waiting if asked to."""
    if wait_for_lock:
        handle.execute("BEGIN IMMEDIATE")
        return
    handle.execute("PRAGMA busy_timeout=0")
    try:
        handle.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        raise _DatabaseBusy from None
    finally:
        handle.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")


class _Job(NamedTuple):
    change: Callable[[Connection], Any]
    future: Future[Any]
    urgent: bool
    durable: bool


class Database:
    """A database with its writer thread. Close it at the end."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._sqlite = engine.dialect.name == "sqlite"
        self._synchronous_full = True
        self._queue: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        with engine.connect() as connection:
            if not is_current(connection):
                connection.rollback()
                with self._transaction(connection):
                    upgrade(connection)
        self._write_lock = threading.Lock()
        self._connection: Connection | None = None
        self._writer = threading.Thread(target=self._writer_loop, name="kontor-writer", daemon=True)
        self._writer.start()
        self._deferred: deque[Callable[[Connection], Any]] = deque()
        self._deferred_running = False
        self._deferred_scheduled = False
        """Whether the writer thread has been asked to run the deferred changes."""
        self._closed = False

    def write(self, change: Callable[[Connection], T], *, durable: bool = True) -> Future[T]:
        """Queue `change` for the next transaction; the future is done once it is on disk, safe from a power failure."""
        return self._enqueue(change, urgent=True, durable=durable)

    def write_blocking(self, change: Callable[[Connection], T], *, durable: bool = True) -> T:
        """Run `change` in the caller's thread and wait for it, which saves waking the writer thread.

        Without `durable` there is no wait for the disk: it survives a crash of this process, not a power failure.
        """
        with self._write_lock:
            return self._run_with_deferred([change], durable)[0]  # type: ignore[no-any-return]

    def write_inline(self, change: Callable[[Connection], T]) -> Future[T]:
        """Run `change` in the event loop's thread if no lock must be waited for, otherwise queue it for the writer.

        It is not durable: it survives a crash of this process, not a power failure.
        """
        if self._sqlite and self._write_lock.acquire(blocking=False):
            future: Future[T] = Future()
            try:
                future.set_result(self._run_with_deferred([change], durable=False, wait_for_lock=False)[0])
                return future
            except _DatabaseBusy:
                pass
            except Exception as error:
                future.set_exception(error)
                return future
            finally:
                self._write_lock.release()
        return self.write(change, durable=False)

    def write_deferred(self, change: Callable[[Connection], Any]) -> None:
        """Run `change` with this process's next transaction, or shortly after; nobody waits for it."""
        self._deferred.append(change)
        if not self._deferred_scheduled:
            self._deferred_scheduled = True
            self.write_background(_no_change)

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
            self.write_blocking(_no_change, durable=False)
        with self.engine.connect() as connection:
            return query(connection)

    def close(self) -> None:
        """Commit all queued changes, then close."""
        if not self._closed:
            self._closed = True
            self._queue.put(None)
            self._writer.join()
            with self._write_lock:
                if self._deferred:
                    self._run_with_deferred([_no_change], durable=False)
                if self._connection is not None:
                    self._connection.close()
            self.engine.dispose()

    def _writer_loop(self) -> None:
        ending = False
        while not ending:
            batch, ending = self._next_batch()
            self._deferred_scheduled = False
            with self._write_lock:
                self._commit_batch(batch)

    def _next_batch(self) -> tuple[list[_Job], bool]:
        """Return all queued jobs, and whether the database is closing."""
        batch: list[_Job] = []
        job = self._queue.get()
        urgent = False
        while job is not None:
            if job.future.set_running_or_notify_cancel():
                batch.append(job)
                urgent = urgent or job.urgent
            if len(batch) >= MAX_BATCH:
                return batch, False
            try:
                job = self._queue.get_nowait() if urgent else self._queue.get(timeout=GROUP_COMMIT_SECONDS)
            except queue.Empty:
                return batch, False
        return batch, True

    def _commit_batch(self, batch: list[_Job]) -> None:
        """Commit a batch and complete its futures. The caller holds the write lock."""
        if not batch:
            return
        try:
            results = self._run_with_deferred([job.change for job in batch], any(job.durable for job in batch))
        except BaseException as error:
            if len(batch) == 1:
                batch[0].future.set_exception(error)
                return
            for job in batch:  # one of them failed: run each in its own transaction
                self._commit_batch([job])
        else:
            for job, result in zip(batch, results, strict=True):
                job.future.set_result(result)

    def _run_with_deferred(
        self, changes: list[Callable[[Connection], Any]], durable: bool, *, wait_for_lock: bool = True
    ) -> list[Any]:
        """Run the deferred changes and these in one transaction. The caller holds the write lock."""
        if not self._deferred:
            return self._run_in_transaction(changes, durable, wait_for_lock)
        self._deferred_running = True
        deferred = [self._deferred.popleft() for _ in range(len(self._deferred))]
        try:
            return self._run_in_transaction([*deferred, *changes], durable, wait_for_lock)[len(deferred) :]
        except BaseException as error:
            if isinstance(error, _DatabaseBusy) or not isinstance(error, Exception):
                self._deferred.extendleft(reversed(deferred))
                raise
        finally:
            self._deferred_running = False
        for change in deferred:  # one of all these failed: run each in its own transaction
            with contextlib.suppress(Exception):
                self._run_in_transaction([change], durable=False)
        return self._run_in_transaction(changes, durable, wait_for_lock)

    def _run_in_transaction(
        self, changes: list[Callable[[Connection], Any]], durable: bool, wait_for_lock: bool = True
    ) -> list[Any]:
        """Run changes in one transaction on the writing connection."""
        if self._connection is None:
            self._connection = self.engine.connect()
            self._synchronous_full = True
        connection = self._connection
        try:
            with self._transaction(connection, durable=durable, wait_for_lock=wait_for_lock):
                return [change(connection) for change in changes]
        except BaseException:
            if connection.invalidated:  # the database went away: the next change reconnects
                connection.close()
                self._connection = None
            raise

    @contextlib.contextmanager
    def _transaction(
        self, connection: Connection, *, durable: bool = True, wait_for_lock: bool = True
    ) -> Iterator[None]:
        if not self._sqlite:
            with connection.begin():
                if not durable:
                    connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
                yield
            return
        # Without SQLAlchemy's transaction handling, which takes longer than SQLite itself.
        handle = connection.connection.dbapi_connection
        assert handle is not None
        if durable is not self._synchronous_full:
            handle.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            self._synchronous_full = durable
        _begin(handle, wait_for_lock)
        try:
            yield
            handle.commit()
        except BaseException:
            handle.rollback()
            raise
        finally:
            if connection.in_transaction():
                connection.rollback()  # only SQLAlchemy's state; the real transaction is over
