"""The governor: keeps every caller of one API key under the service's limit, together.

The service allows so many requests in a window and blocks the key beyond that, for everybody. So every request first
takes a permit here. The governor remembers its own requests, believes the `RateLimit-*` headers where they know more
(somebody else may use the same key), and keeps some permits back that only writes may take: a payment is not starved
by polling.

It holds no clock and never sleeps. `ask` says how long to wait; the caller waits and asks again.
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
"""Requests allowed under way before the first answer has told how much of the window is left."""
COLD_START_SECONDS = 1.0
"""How long the first answer is waited for; a slow call at the start must not hold up the others."""
COLD_START_PAUSE = 0.02


@dataclass(slots=True, eq=False)
class Permit:
    """A place in the queue, then one request's right to be sent."""

    writes: bool
    sent: bool = False


@dataclass(frozen=True, slots=True)
class RateWindow:
    """What is known of the window now."""

    limit: int
    used: int
    remaining: int
    resets_in: float


@dataclass(slots=True)
class _Told:
    """What the service's headers said, counted down by what we have sent since."""

    remaining: int
    until: float


@dataclass
class Governor:
    """Shared by all clients of one API key, in all threads and event loops."""

    limit: int = LIMIT
    window: float = WINDOW
    headroom_share: float = 0.1
    _done: deque[float] = field(default_factory=deque)
    _under_way: int = 0
    _reads: list[Permit] = field(default_factory=list)
    _writes: list[Permit] = field(default_factory=list)
    _told: _Told | None = None
    _blocked_until: float = 0.0
    _warm: bool = False
    _cold_until: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def headroom(self) -> int:
        """Permits that only writes may take."""
        return max(1, int(self.limit * self.headroom_share))

    def queue(self, *, writes: bool) -> Permit:
        """Takes a place in the queue."""
        permit = Permit(writes)
        with self._lock:
            (self._writes if writes else self._reads).append(permit)
        return permit

    def ask(self, permit: Permit, now: float) -> float:
        """0 when the request may leave now (it then counts); otherwise how many seconds to wait before asking again."""
        with self._lock:
            self._forget(now)
            wait = self._wait(permit, now)
            if wait <= 0:
                (self._writes if permit.writes else self._reads).remove(permit)
                permit.sent = True
                self._under_way += 1
                if self._cold_until == 0:
                    self._cold_until = now + COLD_START_SECONDS
                if self._told:
                    self._told.remaining -= 1
            return wait

    def leave(self, permit: Permit, now: float, *, counted: bool = True) -> None:
        """Ends a permit: out of the queue, or, once sent, done. `counted` is False if it never reached the service.

        A request counts against the window until a full window after its answer: the service may have seen it at any
        moment in between.
        """
        with self._lock:
            if not permit.sent:
                queue = self._writes if permit.writes else self._reads
                if permit in queue:
                    queue.remove(permit)
                return
            permit.sent = False
            self._under_way -= 1
            if counted:
                self._done.append(now)
            elif self._told:
                self._told.remaining += 1

    def learn(self, headers: Mapping[str, str], now: float, today: datetime) -> None:
        """Reads the three headers of an answer."""
        remaining, reset = _whole(headers.get("ratelimit-remaining")), headers.get("ratelimit-reset")
        limit = _whole(headers.get("ratelimit-limit"))
        with self._lock:
            self._warm = True
            if limit:
                self.limit = limit
            if remaining is None or reset is None:
                return
            resets_in = seconds_until(reset, today, headers.get("date"), within=self.window)
            if resets_in is None:
                return
            until = now + resets_in
            if self._told is None or until > self._told.until + self.window / 2:
                self._told = _Told(remaining, until)  # a window that we did not know of yet
            elif remaining < self._told.remaining:
                self._told.remaining = remaining  # somebody else uses this key too

    def block(self, seconds: float, now: float) -> None:
        """Lets nothing leave for a while: the service said 429."""
        with self._lock:
            self._warm = True
            self._blocked_until = max(self._blocked_until, now + min(seconds, self.window))

    def look(self, now: float) -> RateWindow:
        """What is known of the window, for people and metrics."""
        with self._lock:
            self._forget(now)
            used = len(self._done) + self._under_way
            remaining = self.limit - used
            resets_in = self._done[0] + self.window - now if self._done else 0.0
            if self._told:
                remaining = min(remaining, self._told.remaining)
                resets_in = self._told.until - now
            if self._blocked_until > now:
                remaining, resets_in = 0, self._blocked_until - now
            return RateWindow(self.limit, used, max(0, remaining), max(0.0, resets_in))

    def _forget(self, now: float) -> None:
        while self._done and self._done[0] <= now - self.window:
            self._done.popleft()
        if self._told and self._told.until <= now:
            self._told = None

    def _wait(self, permit: Permit, now: float) -> float:
        if self._blocked_until > now:
            return self._blocked_until - now
        if not self._warm and self._under_way >= COLD_START and now < self._cold_until:
            return COLD_START_PAUSE
        held_back = 0 if permit.writes else self.headroom
        # Waiting writes go before waiting reads, and the earlier before the later.
        ahead = self._writes.index(permit) if permit.writes else len(self._writes) + self._reads.index(permit)
        if self._told and self._told.remaining - held_back <= ahead:
            return self._told.until - now
        free = self.limit - held_back - len(self._done) - self._under_way
        if free > ahead:
            return 0.0
        frees = ahead - free
        return (self._done[frees] if frees < len(self._done) else now) + self.window - now


def seconds_until(text: str, today: datetime, date: str | None = None, within: float = WINDOW) -> float | None:
    """How far off a reset is, whether given in seconds, as a Unix time (seconds or milliseconds), or as a date.

    A point in time is held against the service's own `Date` first, so that a clock that runs wrong on either side does
    no harm, and against our calendar where that gives no sense.
    """
    try:
        number = float(text)
    except ValueError:
        moment = _moment(text)
        if moment is None:
            return None
        number = moment.timestamp()
    if not 0 <= number < 1e15:
        return None
    if number < 1e8:
        return min(number, within)
    if number >= 1e11:
        number /= 1000
    server = _moment(date or "")
    distances = [number - now.timestamp() for now in (server, today) if now]
    return next((d for d in distances if 0 <= d <= within), min(max(distances[-1], 0.0), within))


def _moment(text: str) -> datetime | None:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            moment = read(text)
        except ValueError:
            continue
        return moment if moment.tzinfo else None
    return None


def _whole(text: str | None) -> int | None:
    try:
        return max(0, int(text)) if text is not None else None
    except ValueError:
        return None
