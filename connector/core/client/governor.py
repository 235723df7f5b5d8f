"""The governor: a client-side rate limiter shared by all callers of one API key.

The service allows a number of requests per window and blocks the key beyond that, for all callers. So every request
first acquires a permit here. The governor counts its own requests, follows the `RateLimit-*` headers where they report
less (another process may use the same key), and reserves some permits for writes, so that polling cannot starve a
payment.

It has no clock and never sleeps: `try_acquire` returns how long to wait, and the caller waits and tries again.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime

LIMIT = 200
WINDOW = 15 * 60.0
COLD_START = 5
"""Requests allowed in flight before the first answer has reported how much of the window is left."""
COLD_START_SECONDS = 1.0
"""How long that bound applies; a slow first call must not block the others."""
COLD_START_PAUSE = 0.02


@dataclass(slots=True, eq=False)
class Permit:
    """A request's place in the queue, and once acquired its right to be sent."""

    writes: bool
    sent: bool = False


@dataclass(frozen=True, slots=True)
class RateWindow:
    """The state of the rate window at one moment."""

    limit: int
    used: int
    remaining: int
    resets_in: float


@dataclass(slots=True)
class _ServerWindow:
    """The window as the service's headers reported it, minus the requests sent since."""

    remaining: int
    until: float


@dataclass
class Governor:
    """Shared by all clients of one API key, in all threads and event loops."""

    limit: int = LIMIT
    window: float = WINDOW
    headroom_share: float = 0.1
    _answered_at: deque[float] = field(default_factory=deque)
    _in_flight: int = 0
    _waiting_reads: list[Permit] = field(default_factory=list)
    _waiting_writes: list[Permit] = field(default_factory=list)
    _server_window: _ServerWindow | None = None
    _blocked_until: float = 0.0
    _has_answer: bool = False
    _cold_until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def headroom(self) -> int:
        """Permits reserved for writes."""
        return max(1, int(self.limit * self.headroom_share))

    def enqueue(self, *, writes: bool) -> Permit:
        """Add a request to the queue."""
        permit = Permit(writes)
        with self._lock:
            (self._waiting_writes if writes else self._waiting_reads).append(permit)
        return permit

    def try_acquire(self, permit: Permit, now: float) -> float:
        """Return 0 and count the request when it may be sent now; otherwise the seconds to wait before trying again."""
        with self._lock:
            self._expire(now)
            wait = self._wait(permit, now)
            if wait <= 0:
                (self._waiting_writes if permit.writes else self._waiting_reads).remove(permit)
                permit.sent = True
                self._in_flight += 1
                if self._cold_until == 0:
                    self._cold_until = now + COLD_START_SECONDS
                if self._server_window:
                    self._server_window.remaining -= 1
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
            if counted:
                self._answered_at.append(now)
            elif self._server_window:
                self._server_window.remaining += 1

    def update_from_headers(self, headers: Mapping[str, str], now: float, utcnow: datetime) -> None:
        """Update the window from the `RateLimit-*` headers of an answer."""
        remaining, reset = _non_negative_int(headers.get("ratelimit-remaining")), headers.get("ratelimit-reset")
        limit = _non_negative_int(headers.get("ratelimit-limit"))
        with self._lock:
            self._has_answer = True
            if limit:
                self.limit = limit
            if remaining is None or reset is None:
                return
            resets_in = seconds_until(reset, utcnow, headers.get("date"), within=self.window)
            if resets_in is None:
                return
            until = now + resets_in
            if self._server_window is None or until > self._server_window.until + self.window / 2:
                self._server_window = _ServerWindow(remaining, until)  # a new window
            elif remaining < self._server_window.remaining:
                self._server_window.remaining = remaining  # another process uses this key too

    def block(self, seconds: float, now: float) -> None:
        """Send nothing for so many seconds, after an answer 429."""
        with self._lock:
            self._has_answer = True
            self._blocked_until = max(self._blocked_until, now + min(seconds, self.window))

    def snapshot(self, now: float) -> RateWindow:
        """Return the current state of the window, for display and metrics."""
        with self._lock:
            self._expire(now)
            used = len(self._answered_at) + self._in_flight
            remaining = self.limit - used
            resets_in = self._answered_at[0] + self.window - now if self._answered_at else 0.0
            if self._server_window:
                remaining = min(remaining, self._server_window.remaining)
                resets_in = self._server_window.until - now
            if self._blocked_until > now:
                remaining, resets_in = 0, self._blocked_until - now
            return RateWindow(self.limit, used, max(0, remaining), max(0.0, resets_in))

    def _expire(self, now: float) -> None:
        while self._answered_at and self._answered_at[0] <= now - self.window:
            self._answered_at.popleft()
        if self._server_window and self._server_window.until <= now:
            self._server_window = None

    def _wait(self, permit: Permit, now: float) -> float:
        if self._blocked_until > now:
            return self._blocked_until - now
        if not self._has_answer and self._in_flight >= COLD_START and now < self._cold_until:
            return COLD_START_PAUSE
        reserved = 0 if permit.writes else self.headroom
        # Waiting writes come before waiting reads, each in order of arrival.
        ahead = (
            self._waiting_writes.index(permit)
            if permit.writes
            else len(self._waiting_writes) + self._waiting_reads.index(permit)
        )
        if self._server_window and self._server_window.remaining - reserved <= ahead:
            return self._server_window.until - now
        free = self.limit - reserved - len(self._answered_at) - self._in_flight
        if free > ahead:
            return 0.0
        frees = ahead - free
        return (self._answered_at[frees] if frees < len(self._answered_at) else now) + self.window - now


def seconds_until(text: str, utcnow: datetime, date: str | None = None, within: float = WINDOW) -> float | None:
    """Return the seconds until a reset given in seconds, as a Unix time (seconds or milliseconds), or as a date.

    A timestamp is compared with the service's own `Date` header first, so that a wrong clock on either side does no
    harm, and with our clock when that gives an implausible result.
    """
    try:
        number = float(text)
    except ValueError:
        moment = _timestamp(text)
        if moment is None:
            return None
        number = moment.timestamp()
    if not 0 <= number < 1e15:
        return None
    if number < 1e8:
        return min(number, within)
    if number >= 1e11:
        number /= 1000
    server = _timestamp(date or "")
    distances = [number - now.timestamp() for now in (server, utcnow) if now]
    return next((d for d in distances if 0 <= d <= within), min(max(distances[-1], 0.0), within))


def _timestamp(text: str) -> datetime | None:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text)
        except ValueError:
            continue
        return moment if moment.tzinfo else None
    return None


def _non_negative_int(text: str | None) -> int | None:
    try:
        return max(0, int(text)) if text is not None else None
    except ValueError:
        return None
