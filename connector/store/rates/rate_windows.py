"""The rate windows that all processes on one database share, one row for each API key (or address).

A change is a compare-and-set on the row's version: read, decide (`connector/client/permits.py`), write if nobody
else has written meanwhile. On SQLite it is one of the writer's changes, in whose transaction nobody else is faster. On
PostgreSQL it has a connection of its own that commits each statement, so that no batch of other changes, and no process
that freezes, holds the row that all hosts change. It is not durable: a power failure may lose the last moments, a crash
of a process loses nothing.

Time is never the wall clock of one host.
- PostgreSQL: the database's own clock.
- SQLite: all processes are on one machine, so seconds since it was started, suspended time included
  (CLOCK_BOOTTIME; elsewhere the monotonic clock), which no step of the wall clock disturbs. A row that was written
  before the last start, or on another machine, is carried over: the time in between is what the wall clock says, but
  not less than nothing and not more than the time since the start, so that a wrong clock can only make us wait.
"""

from __future__ import annotations

import random
import time
from typing import Any

import msgspec
from sqlalchemy import Connection, Engine, select, text, update

from connector.client.permits import Granted, Request, serve
from connector.client.rate_window import RateWindow
from connector.store.database.statements import (
    OF_POSTGRESQL,
    POSTGRESQL_SECONDS,
    boot_id,
    insert_if_absent,
    seconds_since_start,
)
from connector.store.schema import rate_windows

BUSY_SECONDS = 1.5
"""How long to try to change a window that others are changing."""
ANSWER_SECONDS = 2
"""How long PostgreSQL may take; a process that has no answer then counts for itself."""

_decode = msgspec.json.Decoder(RateWindow).decode
_encode = msgspec.json.Encoder().encode


class WindowBusy(Exception):
    """Other processes are changing the window all the time."""


class RateWindows:
    """The windows of a PostgreSQL database, over a connection of their own. Not for several threads at once."""

    def __init__(self, engine: Engine) -> None:
        self._connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        self._connection.detach()  # out of the pool, since its settings differ
        self._connection.execute(text("SET synchronous_commit = off"))
        self._connection.execute(text(f"SET statement_timeout = '{ANSWER_SECONDS}s'"))
        driver: Any = self._connection.connection.dbapi_connection
        if hasattr(driver, "answer_seconds"):  # not with another driver
            driver.answer_seconds = ANSWER_SECONDS

    def exchange(self, scope: str, request: Request, speed: float) -> Granted:
        """Apply a process's report and grant it permits; raise `WindowBusy` when others are always faster."""
        until, attempt = time.monotonic() + BUSY_SECONDS, 0
        while (granted := _exchange(self._connection, scope, request, speed)) is None:
            if time.monotonic() > until:
                raise WindowBusy
            attempt += 1
            time.sleep(random.uniform(0.0005, 0.002) * min(attempt, 10))  # noqa: S311 - not secret
        return granted

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def exchange_in(connection: Connection, scope: str, request: Request, speed: float) -> Granted:
    """Do what `RateWindows.exchange` does, in a transaction of SQLite, in which nobody else is faster."""
    granted = None
    while granted is None:
        granted = _exchange(connection, scope, request, speed)
    return granted


def _exchange(connection: Connection, scope: str, request: Request, speed: float) -> Granted | None:
    """Try to change a window; None when it has just been made, or another process was faster."""
    on_machine = connection.dialect.name == "sqlite"
    columns = (rate_windows,) if on_machine else (rate_windows, POSTGRESQL_SECONDS.label("seconds"))
    row = connection.execute(select(*columns).where(rate_windows.c.scope == scope)).one_or_none()
    if row is None:
        empty = {"scope": scope, "version": 0, "clock": "", "changed_at": 0, "wall_time": 0, "state": "[]"}
        insert_if_absent(connection, rate_windows, empty)
        return None
    clock = f"{boot_id() if on_machine else OF_POSTGRESQL} x{speed:g}"
    wall = time.time() if on_machine else row.seconds
    now = (seconds_since_start() if on_machine else row.seconds) * speed
    window = _decode(row.state)
    if row.clock != clock:
        passed = max(0.0, wall - row.wall_time) * speed
        window.shift(now - row.changed_at - (min(passed, now) if on_machine else passed))
    granted = serve(window, request, now)
    unchanged = (rate_windows.c.scope == scope, rate_windows.c.version == row.version)
    values = {"version": row.version + 1, "clock": clock, "changed_at": now, "wall_time": wall}
    changed = update(rate_windows).where(*unchanged).values(**values, state=_encode(window).decode())
    return granted if connection.execute(changed).rowcount == 1 else None
