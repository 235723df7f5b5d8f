"""Writes into the timeline when the rate window of a key made calls wait or the service refused, and when it was over.

Only calls that wait tell of it, and of one key at most one entry a minute is written: an ordinary call costs nothing.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakSet

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from connector.client.key_states import KeyState, RateNews
    from connector.core.clock import Clock
    from connector.store import Database

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
    from connector.store import timeline

    timeline.record(connection, about, what, at, {"until": until} if until else None)
