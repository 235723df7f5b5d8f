"""The database: opened once, written by one thread that commits many callers' changes together.

`write` hands a function to the writer and returns a future. The writer takes all that is waiting, runs it in one
transaction and commits once: the disk is asked once for many callers (group commit), and whoever is told "done" can
rely on it through a crash. A function that fails takes only itself down.
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

from connector.store.schema import upgrade

T = TypeVar("T")
MOST_TOGETHER = 256
LINGER = 0.02
"""Seconds that a change nobody waits for may wait for others to share its commit."""
PATIENCE = 30_000
"""Milliseconds to wait for another process that writes to the same file."""
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
    engine = create_engine(f"sqlite:///{folder / FILE}", connect_args={"check_same_thread": False})
    event.listen(engine, "connect", _prepare_sqlite)
    return Database(engine)


def _prepare_sqlite(handle: Any, _record: Any) -> None:
    handle.isolation_level = None  # transactions are begun by us, so that a write takes its lock at once
    for pragma in (f"busy_timeout={PATIENCE}", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
        handle.execute(f"PRAGMA {pragma}")


def _nothing(connection: Connection) -> None:
    """The change that changes nothing."""


class _Occupied(Exception):
    """Another process is just writing."""


def _begin(handle: Any, patient: bool) -> None:
    """Takes SQLite's lock for writing, waiting for another process's turn to end only if there is time."""
    if patient:
        handle.execute("BEGIN IMMEDIATE")
        return
    handle.execute("PRAGMA busy_timeout=0")
    try:
        handle.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        raise _Occupied from None
    finally:
        handle.execute(f"PRAGMA busy_timeout={PATIENCE}")


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
        self._waits_for_disk = True
        self._waiting: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        with engine.connect() as connection, self._transaction(connection):
            upgrade(connection)
        self._turn = threading.Lock()
        self._writing: Connection | None = None
        self._writer = threading.Thread(target=self._write_on, name="kontor-writer", daemon=True)
        self._writer.start()
        self._soon: deque[Callable[[Connection], Any]] = deque()
        self._soon_under_way = False
        self._reminded = False
        """Whether the writer will look at what is to be made soon."""
        self._closed = False

    def write(self, change: Callable[[Connection], T], *, durable: bool = True) -> Future[T]:
        """Runs `change` in the next transaction; the future is done once it is on disk, safe from a power failure."""
        return self._put(change, urgent=True, durable=durable)

    def write_now(self, change: Callable[[Connection], T], *, durable: bool = True) -> T:
        """The same in the caller's own thread, for callers that wait anyway: no other thread need be woken.

        Without `durable` it is safe from a crash of this process only, and takes no disk's time.
        """
        with self._turn:
            return self._together([change], durable)[0]  # type: ignore[no-any-return]

    def write_here(self, change: Callable[[Connection], T]) -> Future[T]:
        """For an event loop: in its own thread if that takes no waiting for anybody, otherwise by the writer.

        It is safe from a crash of this process only, like `write_now` without `durable`.
        """
        if self._sqlite and self._turn.acquire(blocking=False):
            future: Future[T] = Future()
            try:
                future.set_result(self._together([change], durable=False, patient=False)[0])
                return future
            except _Occupied:
                pass
            except Exception as error:
                future.set_exception(error)
                return future
            finally:
                self._turn.release()
        return self.write(change, durable=False)

    def write_soon(self, change: Callable[[Connection], Any]) -> None:
        """A change that nobody waits for: made along with this process's next one, or by the writer in a moment."""
        self._soon.append(change)
        if not self._reminded:
            self._reminded = True
            self.note(_nothing)

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
        """Runs `question` at once, beside any writing. What was to be made soon is made before."""
        if self._soon or self._soon_under_way:
            self.write_now(_nothing, durable=False)
        with self.engine.connect() as connection:
            return question(connection)

    def close(self) -> None:
        """Writes what is waiting, then ends."""
        if not self._closed:
            self._closed = True
            self._waiting.put(None)
            self._writer.join()
            with self._turn:
                if self._soon:
                    self._together([_nothing], durable=False)
                if self._writing is not None:
                    self._writing.close()
            self.engine.dispose()

    def _write_on(self) -> None:
        ending = False
        while not ending:
            batch, ending = self._take()
            self._reminded = False
            with self._turn:
                self._carry_out(batch)

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

    def _carry_out(self, batch: list[_Job]) -> None:
        """Commits a batch, and tells everybody in it; whoever calls this has the turn."""
        if not batch:
            return
        try:
            results = self._together([job.change for job in batch], any(job.durable for job in batch))
        except BaseException as error:
            if len(batch) == 1:
                batch[0].future.set_exception(error)
                return
            for job in batch:  # one of them failed: each for itself, so that it fails alone
                self._carry_out([job])
        else:
            for job, result in zip(batch, results, strict=True):
                job.future.set_result(result)

    def _together(
        self, changes: list[Callable[[Connection], Any]], durable: bool, *, patient: bool = True
    ) -> list[Any]:
        """Makes changes in one transaction, and with them those that were to be made soon.

        Whoever calls this has the turn.
        """
        if not self._soon:
            return self._in_one(changes, durable, patient)
        self._soon_under_way = True
        soon = [self._soon.popleft() for _ in range(len(self._soon))]
        try:
            return self._in_one([*soon, *changes], durable, patient)[len(soon) :]
        except BaseException as error:
            if isinstance(error, _Occupied) or not isinstance(error, Exception):
                self._soon.extendleft(reversed(soon))
                raise
        finally:
            self._soon_under_way = False
        for change in soon:  # one of all these failed: each for itself, so that it fails alone
            with contextlib.suppress(Exception):
                self._in_one([change], durable=False)
        return self._in_one(changes, durable, patient)

    def _in_one(self, changes: list[Callable[[Connection], Any]], durable: bool, patient: bool = True) -> list[Any]:
        """Makes changes in one transaction, on the one connection that writes."""
        if self._writing is None:
            self._writing = self.engine.connect()
            self._waits_for_disk = True
        connection = self._writing
        try:
            with self._transaction(connection, durable=durable, patient=patient):
                return [change(connection) for change in changes]
        except BaseException:
            if connection.invalidated:  # the database went away: the next change looks for it again
                connection.close()
                self._writing = None
            raise

    @contextlib.contextmanager
    def _transaction(self, connection: Connection, *, durable: bool = True, patient: bool = True) -> Iterator[None]:
        if not self._sqlite:
            with connection.begin():
                if not durable:
                    connection.exec_driver_sql("SET LOCAL synchronous_commit = off")
                yield
            return
        # By hand: SQLAlchemy's own way of beginning and ending takes longer than SQLite itself.
        handle = connection.connection.dbapi_connection
        assert handle is not None
        if durable is not self._waits_for_disk:
            handle.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            self._waits_for_disk = durable
        _begin(handle, patient)
        try:
            yield
            handle.commit()
        except BaseException:
            handle.rollback()
            raise
        finally:
            if connection.in_transaction():
                connection.rollback()  # SQLAlchemy's notion of one; the real one is over
