"""The rate windows that all processes on one database share, one row for each API key (or address).

A change is a compare-and-set on the row's version: read, decide (`connector/client/shared_window.py`), write if
nobody else has written meanwhile. No lock is held between the two statements, so that a process that freezes holds up
nobody (with SQLite, nobody unless it freezes within a statement). It is not durable: a power failure may lose the last
moments, a crash of a process loses nothing.

Time is never the wall clock of one host.
- PostgreSQL: the database's own clock.
- SQLite: all processes are on one machine, so seconds since it was started, suspended time included
  (CLOCK_BOOTTIME; elsewhere the monotonic clock), which no step of the wall clock disturbs. A row that was written
  before the last start, or on another machine, is carried over: the time in between is what the wall clock says, but
  not less than nothing and not more than the time since the start, so that a wrong clock can only make us wait.
"""

from __future__ import annotations

import random
import sqlite3
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import msgspec

from connector.client.rate_window import RateWindow
from connector.client.shared_window import Granted, Request, serve
from connector.store.location import FILE
from connector.store.machine_clock import boot_id, seconds_since_start

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

MAX_CONFLICTS = 3
"""Compare-and-sets tried at once; after that a caller that may wait does so."""
ANSWER_SECONDS = 2
"""How long PostgreSQL may take; a process that has no answer then counts for itself."""

_READ = "SELECT version, clock, changed_at, wall_time, state{now} FROM rate_windows WHERE scope = {mark}"
_INSERT = (
    "INSERT INTO rate_windows (scope, version, clock, changed_at, wall_time, state) VALUES ({mark}, 0, '', 0, 0, '[]')"
    " ON CONFLICT DO NOTHING"
)
_UPDATE = (
    "UPDATE rate_windows SET version = {mark}, clock = {mark}, changed_at = {mark}, wall_time = {mark}, state = {mark}"
    " WHERE scope = {mark} AND version = {mark}"
)
_DATABASE_CLOCK = ", CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS double precision)"
_decode = msgspec.json.Decoder(RateWindow).decode
_encode = msgspec.json.Encoder().encode


class _Statements(NamedTuple):
    read: str
    insert: str
    update: str

    @classmethod
    def written(cls, mark: str, now: str) -> _Statements:
        return cls(_READ.format(mark=mark, now=now), _INSERT.format(mark=mark), _UPDATE.format(mark=mark))


_OF_SQLITE, _OF_POSTGRESQL = _Statements.written("?", ", 0"), _Statements.written("%s", _DATABASE_CLOCK)


class WindowBusy(Exception):
    """Other processes are changing the window, or hold SQLite's write lock. Trying again helps."""


class _Row(NamedTuple):
    version: int
    clock: str
    changed_at: float
    wall_time: float
    state: str
    now: float
    """Seconds of the database's clock; of SQLite 0."""


def exchange_in(connection: Connection, scope: str, request: Request, speed: float) -> Granted:
    """Do what `RateWindows.exchange` does, in a transaction of SQLite, in which nobody else is faster."""
    handle: Any = connection.connection.dbapi_connection
    granted = None
    while granted is None:
        granted = _exchange(handle, _OF_SQLITE, scope, request, speed)
    return granted


def open_existing(location: str) -> RateWindows | None:
    """Open the windows of a SQLite database without SQLAlchemy; None when it must be created or migrated first."""
    path = Path(location).expanduser() / FILE
    if "://" in location or not path.is_file():
        return None
    handle = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    try:
        handle.execute("SELECT 1 FROM rate_windows LIMIT 1")
    except sqlite3.Error:
        handle.close()
        return None
    return RateWindows(handle, is_sqlite=True)


def connect(engine: Engine) -> RateWindows:
    """Open the windows of a database that is open, over a connection of their own."""
    connection = engine.raw_connection()
    connection.detach()  # out of the pool, since its settings differ
    handle = cast(Any, connection.dbapi_connection)
    return RateWindows(handle, is_sqlite=engine.dialect.name == "sqlite", owner=connection)


class RateWindows:
    """The windows of one database. Not for several threads at once."""

    def __init__(self, handle: Any, *, is_sqlite: bool, owner: object = None) -> None:
        """`handle`: a connection of the driver, which `owner` closes when it is gone."""
        self._handle, self._owner, self.is_sqlite = handle, owner, is_sqlite
        self._statements = _OF_SQLITE if is_sqlite else _OF_POSTGRESQL
        if self.is_sqlite:
            self._handle.execute("PRAGMA busy_timeout=0")
            self._handle.execute("PRAGMA synchronous=NORMAL")
        else:
            self._handle.autocommit = True
            self._handle.execute("SET synchronous_commit = off")
            self._handle.execute(f"SET statement_timeout = '{ANSWER_SECONDS}s'")
            if hasattr(self._handle, "answer_seconds"):  # not with another driver
                self._handle.answer_seconds = ANSWER_SECONDS

    def exchange(self, scope: str, request: Request, speed: float) -> Granted:
        """Apply a process's report and grant it permits; raise `WindowBusy` when others are faster."""
        try:
            for _ in range(MAX_CONFLICTS):
                granted = _exchange(self._handle, self._statements, scope, request, speed)
                if granted is not None:
                    return granted
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        raise WindowBusy

    def close(self) -> None:
        """Close the connection."""
        self._handle.close()


def _exchange(handle: Any, sql: _Statements, scope: str, request: Request, speed: float) -> Granted | None:
    """Try to change a window; None when another process was faster."""
    found = handle.execute(sql.read, (scope,)).fetchone()
    if found is None:
        handle.execute(sql.insert, (scope,))
        return None
    row, own = _Row(*found), sql is _OF_SQLITE
    clock, wall = f"{boot_id() if own else 'database'} x{speed:g}", time.time() if own else row.now
    now = (seconds_since_start() if own else row.now) * speed
    window = _decode(row.state)
    if row.clock != clock:
        passed = max(0.0, wall - row.wall_time) * speed
        window.shift(now - row.changed_at - (min(passed, now) if own else passed))
    granted = serve(window, request, now)
    values = (row.version + 1, clock, now, wall, _encode(window).decode(), scope, row.version)
    return granted if handle.execute(sql.update, values).rowcount == 1 else None


def pause_before_retry(attempt: int) -> float:
    """Return a random pause in seconds, longer with every attempt."""
    return random.uniform(0.0005, 0.002) * min(attempt, 10)  # noqa: S311 - not secret
