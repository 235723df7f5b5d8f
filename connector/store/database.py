"""The database: opened once, written by one thread that commits many callers' changes together.

`write` hands a function to the writer and returns a future. The writer takes all that is waiting, runs it in one
transaction and commits once: the disk is asked once for many callers (group commit), and whoever is told "done" can
rely on it through a crash. A function that fails takes only itself down.
"""

from __future__ import annotations

import contextlib
import os
import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event

from connector.store.schema import upgrade

T = TypeVar("T")
MOST_TOGETHER = 256
LINGER = 0.02
"""Seconds that a change nobody waits for may wait for others to share its commit."""
FILE = "kontor.db"


def data_location(env: Mapping[str, str] = os.environ) -> str:
    """`KONTOR_DATA` (a folder, or the URL of a PostgreSQL database), or the user's own data folder."""
    given = env.get("KONTOR_DATA", "").strip()
    if given:
        return given
    home = env.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return str(Path(home) / "kontor")


def open_database(location: str | None = None) -> Database:
    """Opens the database at `location` (default: `KONTOR_DATA`), creating or upgrading it as needed."""
    location = location or data_location()
    if "://" in location:
        return Database(create_engine(location, pool_pre_ping=True))
    folder = Path(location).expanduser()
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    engine = create_engine(f"sqlite:///{folder / FILE}", connect_args={"timeout": 30, "check_same_thread": False})
    event.listen(engine, "connect", _prepare_sqlite)
    return Database(engine)


def _prepare_sqlite(handle: Any, _record: Any) -> None:
    handle.isolation_level = None  # transactions are begun by us, so that a write takes its lock at once
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=30000", "foreign_keys=ON"):
        handle.execute(f"PRAGMA {pragma}")


class _Job(NamedTuple):
    change: Callable[[Connection], Any]
    future: Future[Any]
    urgent: bool
    durable: bool


class Database:
    """A database with its writer thread. Close it at the end; what was promised before is kept either way."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._sqlite = engine.dialect.name == "sqlite"
        self._waiting: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        with engine.connect() as connection, self._transaction(connection):
            upgrade(connection)
        self._turn = threading.Lock()
        self._writing: Connection | None = None
        self._writer = threading.Thread(target=self._write_on, name="kontor-writer", daemon=True)
        self._writer.start()
        self._closed = False

    def write(self, change: Callable[[Connection], T], *, durable: bool = True) -> Future[T]:
        """Runs `change` in the next transaction; the future is done once it is on disk, safe from a power failure."""
        return self._put(change, urgent=True, durable=durable)

    def write_now(self, change: Callable[[Connection], T], *, durable: bool = True) -> T:
        """The same in the caller's own thread, for callers that wait anyway: no other thread need be woken.

        Without `durable` it is safe from a crash of this process only, and takes no disk's time.
        """
        future: Future[T] = Future()
        with self._turn:
            self._carry_out([_Job(change, future, urgent=True, durable=durable)])
        return future.result()

    def note(self, change: Callable[[Connection], T], *, at_once: bool = False) -> Future[T]:
        """Runs a change that nobody waits for, and that need only outlive this process, not a power failure.

        It goes with the next write, or a moment later; `at_once` begins with it now.
        """
        return self._put(change, urgent=at_once, durable=False)

    def _put(self, change: Callable[[Connection], T], *, urgent: bool, durable: bool) -> Future[T]:
        if self._closed:
            raise RuntimeError("the database is closed")
        future: Future[T] = Future()
        self._waiting.put(_Job(change, future, urgent, durable))
        return future

    def read(self, question: Callable[[Connection], T]) -> T:
        """Runs `question` at once, beside any writing."""
        with self.engine.connect() as connection:
            return question(connection)

    def close(self) -> None:
        """Writes what is waiting, then ends."""
        if not self._closed:
            self._closed = True
            self._waiting.put(None)
            self._writer.join()
            with self._turn:
                if self._writing is not None:
                    self._writing.close()
            self.engine.dispose()

    def _write_on(self) -> None:
        ending = False
        while not ending:
            batch, ending = self._take()
            with self._turn:
                self._carry_out(batch)

    def _carry_out(self, batch: list[_Job]) -> None:
        """Commits a batch on the one connection that writes; whoever calls this has the turn."""
        if not batch:
            return
        try:
            if self._writing is None:
                self._writing = self.engine.connect()
            self._commit(self._writing, batch)
        except BaseException as error:  # a lost database: every caller of this batch is told
            for job in batch:
                if not job.future.done():
                    job.future.set_exception(error)
            if self._writing is not None:
                self._writing.invalidate()
                self._writing.close()
                self._writing = None

    def _take(self) -> tuple[list[_Job], bool]:
        """Everything that is waiting, and whether the end has come."""
        batch: list[_Job] = []
        job = self._waiting.get()
        urgent = False
        while job is not None:
            if job.future.set_running_or_notify_cancel():
                batch.append(job)
                urgent = urgent or job.urgent
            if len(batch) >= MOST_TOGETHER:
                return batch, False
            try:
                job = self._waiting.get_nowait() if urgent else self._waiting.get(timeout=LINGER)
            except queue.Empty:
                return batch, False
        return batch, True

    def _commit(self, connection: Connection, batch: list[_Job]) -> None:
        try:
            with self._transaction(connection, durable=any(job.durable for job in batch)):
                results = [job.change(connection) for job in batch]
        except Exception as error:
            if len(batch) == 1:
                batch[0].future.set_exception(error)
                return
            for job in batch:  # one of them failed: each for itself, so that it fails alone
                self._commit(connection, [job])
        else:
            for job, result in zip(batch, results, strict=True):
                job.future.set_result(result)

    @contextlib.contextmanager
    def _transaction(self, connection: Connection, *, durable: bool = True) -> Iterator[None]:
        with connection.begin():
            if self._sqlite:
                handle = connection.connection.dbapi_connection
                assert handle is not None
                handle.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
                handle.execute("BEGIN IMMEDIATE")
            elif not durable:
                connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
            yield
