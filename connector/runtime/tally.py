"""Counts what is spent, and writes it down together: once a second while there is something, and at the end."""

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
    """Credits that were spent since the last time they were written down."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database
        self._lines: dict[Line, tuple[Decimal, int]] = {}
        self._balances: dict[str, tuple[Decimal, datetime]] = {}
        self._written_at = float("-inf")
        self._writing: Future[None] | None = None
        self._lock = threading.Lock()

    def count(self, credential: str, flow: str, label: str, credits: Credits, clock: Clock) -> None:
        """Adds one call."""
        line = (credential, clock.berlin_today().isoformat(), flow, label)
        with self._lock:
            cost, calls = self._lines.get(line, (Decimal(0), 0))
            self._lines[line] = (cost + credits.cost, calls + 1)
            if credits.balance is not None:
                self._balances[credential] = (credits.balance, clock.utcnow())
            due = clock.monotonic() - self._written_at >= SECONDS
            if due:
                self._written_at = clock.monotonic()
        if due:
            self.write_down()

    def write_down(self, *, at_once: bool = False) -> Future[None] | None:
        """Has what is counted written; the future is done when all of it is. None when there never was anything."""
        with self._lock:
            lines, self._lines = self._lines, {}
            balances, self._balances = self._balances, {}
        if not lines:
            return self._writing

        def change(connection: Connection) -> None:
            from connector.store import usage

            for (credential, day, flow, label), (cost, calls) in lines.items():
                usage.add(connection, credential, day, flow, label, cost, calls)
            for credential, (balance, told_at) in balances.items():
                usage.save_balance(connection, credential, balance, told_at)

        self._writing = self._database().write_background(change, urgent=at_once)
        return self._writing
