"""Connects the governors of this process with the rate windows in the store, and notes when calls had to wait.

Only calls that wait tell of it, and of one key at most one entry a minute is written: an ordinary call costs nothing.

Where a SQLite database is open, its writer asks, with the other changes. Else a thread asks, which also opens the
database: so no event loop waits for a disk or a network.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakSet

from connector.client.governor import Governor
from connector.client.permits import Granted, Request

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from connector.client.key_states import KeyState, RateNews
    from connector.core.timing import Clock
    from connector.store import Database
    from connector.store.rates.rate_windows import RateWindows

ABOUT = "rate:"
"""The beginning of what the timeline calls the rate window of a key."""
LEAST_SECONDS = 60.0
"""The least time between two entries about a key."""


class RateTimeline:
    """Listens to the keys of one connector; without an open database it writes nothing."""

    def __init__(self, opened: Callable[[], Database | None]) -> None:
        self._opened = opened
        self._states: WeakSet[KeyState] = WeakSet()

    def listen(self, state: KeyState, fingerprint: str) -> None:
        """Write about this key from now on, until this is closed or another connector listens."""
        if not isinstance(state.rate_listener, _OneKey) or state.rate_listener.opened is not self._opened:
            state.rate_listener = _OneKey(self._opened, fingerprint)
        self._states.add(state)

    def close(self) -> None:
        """Listen no more."""
        for state in self._states:
            if isinstance(state.rate_listener, _OneKey) and state.rate_listener.opened is self._opened:
                state.rate_listener = None


class _OneKey:
    """The entries about one key."""

    def __init__(self, opened: Callable[[], Database | None], fingerprint: str) -> None:
        self.opened, self._about = opened, ABOUT + fingerprint
        self._lock = threading.Lock()
        self._told_at = float("-inf")
        self._held_up = False
        """Whether the latest entry says that calls wait."""

    def tell(self, news: RateNews, seconds: float, clock: Clock) -> None:
        """Write an entry, unless one was written within the last minute or it says nothing new."""
        ends = news == "free"
        with self._lock:
            now = clock.monotonic()
            if now - self._told_at < LEAST_SECONDS or (ends and not self._held_up):
                return
            self._told_at, self._held_up = now, not ends
        database, at = self.opened(), clock.utcnow()
        if database is not None:
            until = None if ends else at + timedelta(seconds=seconds)
            with contextlib.suppress(RuntimeError):  # closed meanwhile
                database.write_later(partial(_record, about=self._about, what=f"rate.{news}", at=at, until=until))


def _record(connection: Connection, about: str, what: str, at: datetime, until: datetime | None) -> None:
    from connector.store.triggers import timeline

    timeline.record(connection, about, what, at, {"until": until} if until else None)


class SharedWindows:
    """The rate windows of one database, opened on first use."""

    def __init__(self, database: Callable[[], Database], opened: Callable[[], Database | None] = lambda: None) -> None:
        """`database` opens the database; `opened` returns it where it is open already."""
        self._database, self._opened = database, opened
        self._windows: RateWindows | None = None
        self._starting = threading.Lock()
        self._executor: ThreadPoolExecutor | None = None
        self._governors: WeakSet[Governor] = WeakSet()

    def share(self, governor: Governor, scope: str) -> None:
        """Let a governor take its permits from here, until this is closed or another database is attached."""
        governor.attach(self, scope)
        self._governors.add(governor)

    def exchange(self, scope: str, request: Request, speed: float) -> Future[Granted]:
        """Report and ask. The future may be done already; it fails when the database cannot be reached."""
        database = self._opened()
        if database is not None and database.is_local:
            with contextlib.suppress(RuntimeError):  # closed meanwhile
                return self._written(database, scope, request, speed)
        with self._starting:
            if self._executor is None:
                self._executor = ThreadPoolExecutor(1, thread_name_prefix="kontor-rate")
            return self._executor.submit(self._exchange, scope, request, speed)

    def close(self) -> None:
        """Finish what is queued, and close the connection. It opens again on the next use."""
        for governor in list(self._governors):
            governor.detach(self)
        with self._starting:
            executor, self._executor = self._executor, None
        if executor is not None:
            executor.submit(self._disconnect)
            executor.shutdown()

    def _exchange(self, scope: str, request: Request, speed: float) -> Granted:
        from connector.store.rates.rate_windows import RateWindows, WindowBusy

        database = self._database()
        if database.is_local:
            return self._written(database, scope, request, speed).result()
        try:
            if self._windows is None:
                self._windows = RateWindows(database.engine)
            return self._windows.exchange(scope, request, speed)
        except WindowBusy:
            raise
        except Exception:
            self._disconnect()
            raise

    @staticmethod
    def _written(database: Database, scope: str, request: Request, speed: float) -> Future[Granted]:
        from connector.store.rates.rate_windows import exchange_in

        return database.write(partial(exchange_in, scope=scope, request=request, speed=speed), durable=False)

    def _disconnect(self) -> None:
        windows, self._windows = self._windows, None
        if windows is not None:
            windows.close()
