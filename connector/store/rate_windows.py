"""The rate windows that all processes on one database share, one row for each API key (or address).

A change is a compare-and-set on the row's version: read, decide (`connector/core/client/shared_window.py`), write if
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

from connector.core.client.rate_window import RateWindow
from connector.core.client.shared_window import Granted, Request, serve
from connector.store.location import FILE

if TYPE_CHECKING:
    from sqlalchemy import Engine

MAX_CONFLICTS = 3
"""Compare-and-sets tried at once; after that a caller that may wait does so."""
ANSWER_SECONDS = 2
"""How long PostgreSQL may take; a process that has no answer then counts for itself."""
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")

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
        mark = "?" if self.is_sqlite else "%s"
        self._read_sql = _READ.format(mark=mark, now=", 0" if self.is_sqlite else _DATABASE_CLOCK)
        self._insert_sql, self._update_sql = _INSERT.format(mark=mark), _UPDATE.format(mark=mark)
        self._boot = _boot_id() if self.is_sqlite else "database"
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
                granted = self._try(scope, request, speed)
                if granted is not None:
                    return granted
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                raise
        raise WindowBusy

    def close(self) -> None:
        """Close the connection."""
        self._handle.close()

    def _try(self, scope: str, request: Request, speed: float) -> Granted | None:
        found = self._handle.execute(self._read_sql, (scope,)).fetchone()
        if found is None:
            self._handle.execute(self._insert_sql, (scope,))
            return None
        row = _Row(*found)
        clock, wall = f"{self._boot} x{speed:g}", time.time() if self.is_sqlite else row.now
        now = (_uptime() if self.is_sqlite else row.now) * speed
        window = _decode(row.state)
        if row.clock != clock:
            passed = max(0.0, wall - row.wall_time) * speed
            window.shift(now - row.changed_at - (min(passed, now) if self.is_sqlite else passed))
        granted = serve(window, request, now)
        values = (row.version + 1, clock, now, wall, _encode(window).decode(), scope, row.version)
        return granted if self._handle.execute(self._update_sql, values).rowcount == 1 else None


def pause_before_retry(attempt: int) -> float:
    """Return a random pause in seconds, longer with every attempt."""
    return random.uniform(0.0005, 0.002) * min(attempt, 10)  # noqa: S311 - not secret


def _uptime() -> float:
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def _boot_id() -> str:
    """Return what identifies this start of the machine, where that is known.

    Where it is not, a time before the start lies in the past or in the future: both only make us wait longer.
    """
    try:
        return BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return "boot"
