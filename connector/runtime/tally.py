"""Counts credit usage in memory, and flushes it to the database at most once a second and at the end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING

from connector.core.clock import Clock
from connector.runtime.result import Credits

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.store import Database

SECONDS = 1.0
Line = tuple[str, str, str, str]


class Tally:
    """Credits and calls that are not stored yet."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database
        self._lines: dict[Line, tuple[Decimal, int]] = {}
        self._balances: dict[str, tuple[Decimal, datetime]] = {}
        self._flushed_at = float("-inf")
        self._last_write: Future[None] | None = None
        self._lock = threading.Lock()

    def count(self, credential: str, flow: str, label: str, credits: Credits, clock: Clock) -> None:
        """Add one call."""
        line = (credential, clock.berlin_today().isoformat(), flow, label)
        with self._lock:
            cost, calls = self._lines.get(line, (Decimal(0), 0))
            self._lines[line] = (cost + credits.cost, calls + 1)
            if credits.balance is not None:
                self._balances[credential] = (credits.balance, clock.utcnow())
        self._flush_when_due(clock)

    def tell(self, credential: str, balance: Decimal, clock: Clock) -> None:
        """Keep a balance that a free call told."""
        with self._lock:
            self._balances[credential] = (balance, clock.utcnow())
        self._flush_when_due(clock)

    def _flush_when_due(self, clock: Clock) -> None:
        with self._lock:
            due = clock.monotonic() - self._flushed_at >= SECONDS
            if due:
                self._flushed_at = clock.monotonic()
        if due:
            self.flush()

    def flush(self) -> Future[None] | None:
        """Queue the counts for storing; the future is done when they are stored. None if nothing was ever counted."""
        with self._lock:
            lines, self._lines = self._lines, {}
            balances, self._balances = self._balances, {}
        if not lines and not balances:
            return self._last_write

        def change(connection: Connection) -> None:
            from connector.store import usage

            for (credential, day, flow, label), (cost, calls) in lines.items():
                usage.add(connection, credential, day, flow, label, cost, calls)
            for credential, (balance, told_at) in balances.items():
                usage.save_balance(connection, credential, balance, told_at)

        self._last_write = self._database().write(change, durable=False)
        return self._last_write
