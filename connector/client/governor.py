"""The governor: a client-side rate limiter shared by all callers of one API key (or address) in this process.

The service allows a number of requests per window and refuses all callers of the key beyond that. So every request
first acquires a permit here. Waiting writes come before waiting reads, and some permits are reserved for writes, so
that polling cannot starve a payment. The permits come from a window that several processes share (`permits.py`).

It has no clock and never sleeps: `try_acquire` returns how long to wait, and the caller waits and tries again.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from datetime import datetime

from connector.client.permits import MemoryWindow, Permit, RateSnapshot, SharedWindow
from connector.client.rate_window import LIMIT, WINDOW, RateWindow, shown_by
from connector.client.shared_permits import SharedPermits

COLD_START = 5
"""Requests allowed in flight before the first answer has reported how much of the window is left."""
COLD_START_SECONDS = 1.0
"""How long that bound applies; a slow first call must not block the others."""
COLD_START_PAUSE = 0.02


class Governor:
    """Shared by all clients of one API key, in all threads and event loops."""

    def __init__(self, limit: int = LIMIT, window: float = WINDOW) -> None:
        self._lock = threading.Lock()
        self._source = SharedPermits(MemoryWindow(), "", limit, window, RateWindow(), self._lock)
        self._in_flight = 0
        self._waiting_reads: list[Permit] = []
        self._waiting_writes: list[Permit] = []
        self._has_answer = False
        self._cold_until = 0.0

    @property
    def limit(self) -> int:
        """The limit, unless the service reports another."""
        return self._source.limit

    @limit.setter
    def limit(self, limit: int) -> None:
        self._source.limit = limit

    def attach(self, shared: SharedWindow, scope: str) -> None:
        """Take permits from a shared window from now on."""
        with self._lock:
            source = self._source
            if source.shared is not shared:
                self._source = SharedPermits(
                    shared, scope, source.limit, source.window, source.sent_alone(), self._lock
                )

    def detach(self, shared: SharedWindow) -> None:
        """Count for this process alone again."""
        with self._lock:
            source = self._source
            if source.shared is shared:
                alone = MemoryWindow()
                self._source = SharedPermits(alone, "", source.limit, source.window, RateWindow(), self._lock)

    def enqueue(self, *, writes: bool) -> Permit:
        """Add a request to the queue. `writes`: it writes, or serves a write, and may use the headroom."""
        permit = Permit(writes)
        with self._lock:
            (self._waiting_writes if writes else self._waiting_reads).append(permit)
        return permit

    def try_acquire(self, permit: Permit, now: float) -> float:
        """Return 0 and count the request when it may be sent now; otherwise the seconds to wait before trying again."""
        with self._lock:
            wait = self._wait(permit, now)
            if wait <= 0:
                (self._waiting_writes if permit.writes else self._waiting_reads).remove(permit)
                permit.sent, permit.sent_at, permit.source = True, now, self._source
                self._source.take(permit, now)
                self._in_flight += 1
                if self._cold_until == 0:
                    self._cold_until = now + COLD_START_SECONDS
            return wait

    def release(self, permit: Permit, now: float, *, counted: bool = True) -> None:
        """Remove a permit from the queue, or end it once sent. `counted` is False if it never reached the service.

        A request counts against the window until a full window after its answer: the service may have counted it at
        any moment in between.
        """
        with self._lock:
            if not permit.sent:
                queue = self._waiting_writes if permit.writes else self._waiting_reads
                if permit in queue:
                    queue.remove(permit)
                return
            permit.sent = False
            self._in_flight -= 1
            if permit.source is self._source:
                self._source.release(permit, now, counted=counted)

    def update_from_headers(
        self,
        headers: Mapping[str, str],
        now: float,
        utcnow: datetime,
        *,
        sent_at: float | None = None,
        refused: bool = False,
    ) -> None:
        """Update the window from the `RateLimit-*` headers of an answer; `refused`: it was a 429."""
        sent_at, window = now if sent_at is None else sent_at, self._source.window
        shown = shown_by(headers, now, utcnow, sent_at=sent_at, refused=refused, window=window)
        with self._lock:
            self._has_answer = True
            if shown is not None:
                self._source.observe(shown, now)

    def block(self, seconds: float, now: float) -> None:
        """Send nothing for so many seconds, after an answer 429."""
        with self._lock:
            self._has_answer = True
            self._source.block(now, now + min(seconds, self._source.window))

    def forget(self) -> None:
        """Begin with an empty window: the service has begun anew."""
        with self._lock:
            self._source.forget()

    def snapshot(self, now: float) -> RateSnapshot:
        """Return the state of the window as last seen, for display and metrics."""
        with self._lock:
            return self._source.snapshot(now)

    def ask(self, now: float, speed: float) -> Future[None] | None:
        """Ask the window for permits; return what to wait for, None when only time helps.

        `speed` is that of the caller's clock.
        """
        if self._is_cold(now):
            return None  # what is asked for now would be used up after the first answer, whatever that reports
        return self._source.ask(len(self._waiting_writes), len(self._waiting_reads), now, speed)

    def ask_ahead(self, now: float, speed: float) -> None:
        """Ask the window for the next permits before the last ones are used."""
        self._source.ask_ahead(now, speed)

    def flush(self, now: float, speed: float) -> Future[None] | None:
        """Tell the window what it does not know yet, unused permits included; return what to wait for."""
        return self._source.flush(now, speed)

    def _wait(self, permit: Permit, now: float) -> float:
        if self._is_cold(now):
            return COLD_START_PAUSE
        # Waiting writes come before waiting reads, each in order of arrival.
        ahead = (
            self._waiting_writes.index(permit)
            if permit.writes
            else len(self._waiting_writes) + self._waiting_reads.index(permit)
        )
        return self._source.wait(permit, ahead, now)

    def _is_cold(self, now: float) -> bool:
        """Whether the first answer must be awaited before more is sent."""
        return not self._has_answer and self._in_flight >= COLD_START and now < self._cold_until
