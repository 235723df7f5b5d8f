"""Counts credit usage in memory, and flushes it to the database at most once a second and at the end."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from cachetools import LRUCache

from connector.core.clock import Clock
from connector.core.payment_states import RESERVED, credits_state
from connector.runtime.result import Credits

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.store import Database

SECONDS = 1.0
MAX_TOLD = 50_000
"""How many payments are remembered, so that a list that is read again and again is not stored each time."""
Line = tuple[str, str, str, str]


class Tally:
    """Credits and calls that are not stored yet."""

    def __init__(self, database: Callable[[], Database]) -> None:
        self._database = database
        self._lines: dict[Line, tuple[Decimal, int]] = {}
        self._balances: dict[str, tuple[Decimal, datetime]] = {}
        self._reservations: list[tuple[Line, str, Decimal]] = []
        self._settled: dict[str, dict[str, str]] = {}
        """By credential and payment, what became of its credits, where that was not stored yet."""
        self._told: LRUCache[tuple[str, str], None] = LRUCache(MAX_TOLD)
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

    def reserve(
        self, credential: str, flow: str, label: str, credits: Credits, clock: Clock, payment: Mapping[str, Any]
    ) -> None:
        """Add one call whose credits are reserved until its payment is final."""
        line, id = (credential, clock.berlin_today().isoformat(), flow, label), str(payment["id"])
        with self._lock:
            self._reservations.append((line, id, credits.cost))
            self._told.pop((credential, id), None)
        self.count(credential, flow, label, replace(credits, cost=Decimal(0)), clock)
        self.settle(credential, {id: str(payment.get("status"))})

    def settle(self, credential: str, statuses: Mapping[str, str]) -> None:
        """Follow what the service says of payments; a final status is told to the database once."""
        with self._lock:
            for id, status in statuses.items():
                state = credits_state(status)
                if state != RESERVED and (credential, id) not in self._told:
                    self._told[credential, id] = None
                    self._settled.setdefault(credential, {})[id] = state

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
            reservations, self._reservations = self._reservations, []
            settled, self._settled = self._settled, {}
        if not lines and not balances and not settled:
            return self._last_write

        def change(connection: Connection) -> None:
            from connector.store import usage

            for (credential, day, flow, label), (cost, calls) in lines.items():
                usage.add(connection, credential, day, flow, label, cost, calls)
            for (credential, day, flow, label), payment_id, cost in reservations:
                usage.reserve(connection, credential, payment_id, day, flow, label, cost)
            for credential, by_payment in settled.items():
                usage.settle(connection, credential, by_payment)
            for credential, (balance, told_at) in balances.items():
                usage.save_balance(connection, credential, balance, told_at)

        self._last_write = self._database().write(change, durable=False)
        return self._last_write
