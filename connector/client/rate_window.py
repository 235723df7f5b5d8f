"""The rate window of one API key or address: who has used how much of it. Pure: every method is told the time.

The service counts requests in a window, and does not say whether it slides or is fixed. So a permit counts until a
whole window after the last moment at which the service may have counted its request: the answer, or the end of the
permit's validity when nothing more is heard of it. What the service's headers report beyond that was sent by others.
Where they show a reset that comes earlier, one request asks then; its answer says whether the window began anew.

Reads the rate-limit headers of an answer.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parsedate_to_datetime

from msgspec import Struct

LIMIT = 200
WINDOW = 15 * 60.0
VALIDITY = 5.0
"""Seconds within which a permit is used or expires."""
HEADROOM_SHARE = 0.1
"""The share of the limit that reads leave to writes."""
PLAUSIBLE_LIMITS = range(50, 10_000_001)
"""Other limits in a header are a mistake, unless a 429 shows that a low one is meant."""
STEPS_PER_WINDOW = 900
"""Permits are counted in steps of a second (of the usual window), which bounds the number of entries."""
TOLERANCE = 1.5
"""Seconds by which two answers may name the same reset, at least."""
LEARNT_WINDOWS = 4
"""Windows for which a limit that was learnt from a header is kept without being confirmed."""


class Entry(Struct, array_like=True):
    """Permits that count until the same moment."""

    until: float
    unanswered: int = 0
    answered: int = 0

    @property
    def count(self) -> int:
        """All its permits."""
        return self.unanswered + self.answered


@dataclass(frozen=True, slots=True)
class Shown:
    """What the headers of one answer report."""

    limit: int | None
    remaining: int | None
    resets_at: float | None
    sent_at: float
    """When its request was sent: whatever was answered before that is included in the report."""
    refused: bool = False
    """Whether the answer was a 429."""

    def after(self, earlier: Shown | None) -> Shown:
        """Return the same with what an earlier answer has left, where both are of one window: its count only grows."""
        if earlier is None or earlier.remaining is None or earlier.resets_at is None:
            return self
        if self.remaining is None or self.resets_at is None or self.resets_at > earlier.resets_at + TOLERANCE:
            return self
        return replace(self, remaining=min(self.remaining, earlier.remaining))

    def shifted(self, seconds: float) -> Shown:
        """Return the same with the times of another clock."""
        resets_at = None if self.resets_at is None else self.resets_at + seconds
        return replace(self, resets_at=resets_at, sent_at=self.sent_at + seconds)


@dataclass(frozen=True, slots=True)
class RateSnapshot:
    """The state of a rate window at one moment."""

    limit: int
    used: int
    remaining: int
    resets_in: float


class RateWindow(Struct, array_like=True):
    """The state of a window. Times are seconds of one clock, which is the caller's."""

    entries: list[Entry] = []
    """Sorted by their end."""
    limit: int = 0
    """As learnt from a header; 0 before."""
    limit_until: float = 0.0
    foreign: int = 0
    """Requests that the service has counted and that are not among the entries."""
    foreign_until: float = 0.0
    resets_at: float | None = None
    """The latest reset that a header has reported."""
    blocked_at: float = 0.0
    blocked_until: float = 0.0
    refused_until: float = 0.0
    """Until then a limit below the plausible ones is believed."""

    def expire(self, now: float, window: float) -> None:
        """Remove what no longer counts. What would count longer than possible was written by a wrong clock."""
        latest = now + window + VALIDITY + _step(window)
        for entry in reversed(self.entries):
            if entry.until <= latest:
                break
            entry.until = latest
        gone = 0
        while gone < len(self.entries) and self.entries[gone].until <= now:
            gone += 1
        del self.entries[:gone]
        self.blocked_until = min(self.blocked_until, now + window)
        self.limit_until = min(self.limit_until, now + LEARNT_WINDOWS * window)
        self.foreign_until = min(self.foreign_until, now + window)
        if self.foreign_until <= now:
            self.foreign = 0
        if self.resets_at is not None and self.resets_at > latest:
            self.resets_at = None

    def shift(self, seconds: float) -> None:
        """Move all times, to another clock."""
        for entry in self.entries:
            entry.until += seconds
        self.limit_until += seconds
        self.foreign_until += seconds
        self.resets_at = None if self.resets_at is None else self.resets_at + seconds
        self.blocked_at += seconds
        self.blocked_until += seconds
        self.refused_until += seconds

    def forget(self) -> None:
        """Begin anew, as the service has."""
        self.entries = []
        self.foreign, self.blocked_until, self.limit = 0, 0.0, 0
        self.resets_at = None

    def limit_at(self, now: float, default: int) -> int:
        """Return the limit in force."""
        return self.limit if self.limit and now < self.limit_until else default

    def used(self) -> int:
        """Return the number of permits that count."""
        return sum(entry.count for entry in self.entries)

    def free(self, limit: int) -> int:
        """Return the number of permits left, those reserved for writes included."""
        return limit - self.used() - self.foreign

    def wait(self, lacking: int, now: float, window: float) -> float:
        """Return the seconds until so many permits have come back, or until the service has shown a reset."""
        if self.resets_at is not None and self.resets_at > now:
            window = min(window, self.resets_at - now)
        ends = [(entry.until, entry.count) for entry in self.entries]
        if self.foreign:
            ends.append((self.foreign_until, self.foreign))
            ends.sort()
        for until, count in ends:
            lacking -= count
            if lacking <= 0:
                return min(until - now, window)
        return window

    def wait_for(self, limit: int, ahead: int, now: float, window: float, *, writes: bool) -> float:
        """Return the seconds until there is a permit for a request and the `ahead` others before it."""
        lacking = ahead + 1 - (self.free(limit) - (0 if writes else headroom(limit)))
        if lacking <= 0 or (ahead == 0 and self.may_ask(now, window)):
            return 0.0
        return self.wait(lacking, now, window)

    def snapshot(self, default: int, now: float, window: float) -> RateSnapshot:
        """Return the state for display."""
        self.expire(now, window)
        limit = self.limit_at(now, default)
        remaining = max(0, self.free(limit))
        resets_in = self.entries[0].until - now if self.entries else 0.0
        if self.foreign:
            resets_in = self.foreign_until - now
        if self.blocked_until > now:
            remaining, resets_in = 0, self.blocked_until - now
        return RateSnapshot(limit, self.used(), remaining, resets_in)

    def may_ask(self, now: float, window: float) -> bool:
        """Whether the reset that the service has shown is over, and nothing was sent since."""
        reset = self.resets_at
        if reset is None or reset > now:
            return False
        return not any(one.count and one.until - window > reset + _step(window) for one in self.entries)

    def take(self, count: int, now: float, window: float) -> float:
        """Count permits that are handed out now; return their entry."""
        return self._add(now + VALIDITY + window, window, unanswered=count)

    def give_back(self, entry: float, count: int) -> None:
        """Stop counting permits that were surely not used."""
        found = self._find(entry)
        if found is not None:
            found.unanswered = max(0, found.unanswered - count)

    def answer(self, entry: float, count: int, answered_at: float, window: float) -> None:
        """Count permits whose requests were answered until a whole window after the answer."""
        found = self._find(entry)
        if found is not None:
            count = min(count, found.unanswered)
            found.unanswered -= count
        elif entry > answered_at:
            return  # no longer counted, since the service has begun anew
        self._add(answered_at + window, window, answered=count)

    def add(self, count: int, now: float, window: float) -> None:
        """Count requests for which there was no permit of this window."""
        self._add(now + window, window, answered=count)

    def block(self, at: float, until: float, window: float) -> None:
        """Hand out nothing until then: the service has refused a request."""
        self.blocked_at = max(self.blocked_at, at)
        self.blocked_until = max(self.blocked_until, min(until, at + window))
        self.refused_until = max(self.refused_until, at + window)

    def observe(self, shown: Shown, now: float, window: float, default: int) -> None:
        """Follow what the service reports: its limit, what others have used, and a window that began anew."""
        if shown.limit is not None:
            low = 0 < shown.limit < PLAUSIBLE_LIMITS.start and (shown.refused or now < self.refused_until)
            if shown.limit not in PLAUSIBLE_LIMITS and not low:
                return
            self.limit, self.limit_until = shown.limit, now + LEARNT_WINDOWS * window
        remaining = 0 if shown.refused and shown.remaining is None else shown.remaining
        if remaining is None or shown.resets_at is None:
            return
        limit = self.limit_at(now, default)
        used = limit - min(remaining, limit)
        tolerance = max(TOLERANCE, window / 100)
        known = self.resets_at
        if known is not None and known > now and shown.resets_at < known - tolerance:
            if not shown.refused:
                return  # a late answer of the window before
            known = None  # a refusal is believed: nothing else counts until it is over
        is_new = known is None or shown.resets_at > known + tolerance
        self.resets_at = shown.resets_at if known is None else max(known, shown.resets_at)
        if used + headroom(limit) < self._surely_counted(shown.sent_at, now, window):
            self._begin_anew(used, shown.sent_at, now, window)
        elif is_new:
            highest = used - self._answered_before(shown.sent_at, window)
            self.foreign = max(0, min(max(self.foreign, used - self.used()), highest))
        else:  # within one window the service's count only grows
            self.foreign = max(self.foreign, used - self.used())
        self.foreign_until = min(shown.resets_at, now + window)
        if remaining > 0 and not shown.refused and shown.sent_at > self.blocked_at:
            self.blocked_until = min(self.blocked_until, now)

    def _begin_anew(self, used: int, sent_at: float, now: float, window: float) -> None:
        """Believe the service that its window is fresher than ours; keep only what it cannot have counted yet."""
        self.entries = [entry for entry in self.entries if entry.until - window > sent_at]
        self.foreign = 0
        self._add(now + window, window, answered=used)

    def _surely_counted(self, sent_at: float, now: float, window: float) -> int:
        """Return how many requests even a sliding window must have counted when this one was sent, and still counts."""
        soon = now + VALIDITY + 3 * _step(window)
        return sum(one.answered for one in self.entries if one.until - window <= sent_at and one.until > soon)

    def _answered_before(self, moment: float, window: float) -> int:
        return sum(entry.answered for entry in self.entries if entry.until - window <= moment)

    def _add(self, until: float, window: float, *, unanswered: int = 0, answered: int = 0) -> float:
        step = _step(window)
        until = math.ceil(until / step) * step
        at = self._place(until)
        if at == len(self.entries) or self.entries[at].until != until:
            self.entries.insert(at, Entry(until))
        self.entries[at].unanswered += unanswered
        self.entries[at].answered += answered
        return until

    def _find(self, until: float) -> Entry | None:
        at = self._place(until)
        return self.entries[at] if at < len(self.entries) and self.entries[at].until == until else None

    def _place(self, until: float) -> int:
        return bisect_left(self.entries, until, key=lambda entry: entry.until)


def headroom(limit: int) -> int:
    """Return how many permits of a limit are reserved for writes; a read always keeps one."""
    return min(max(1, int(limit * HEADROOM_SHARE)), max(0, limit - 1))


def _step(window: float) -> float:
    return window / STEPS_PER_WINDOW


def shown_by(
    headers: Mapping[str, str], now: float, utcnow: datetime, *, sent_at: float, refused: bool, window: float
) -> Shown | None:
    """Return what the `RateLimit-*` headers report; None when there are none."""
    limit, remaining = _number(headers.get("ratelimit-limit")), _number(headers.get("ratelimit-remaining"))
    reset = headers.get("ratelimit-reset")
    resets_in = seconds_until(reset, utcnow, headers.get("date"), within=window) if reset else None
    if limit is None and (remaining is None or resets_in is None):
        return None
    return Shown(limit, remaining, None if resets_in is None else now + resets_in, sent_at, refused)


def is_limiter(headers: Mapping[str, str], utcnow: datetime) -> bool:
    """Whether the headers are the rate limiter's own: nothing remains, and the reset lies ahead."""
    reset = headers.get("ratelimit-reset")
    ahead = seconds_until(reset, utcnow, headers.get("date")) if reset else None
    return _number(headers.get("ratelimit-remaining")) == 0 and ahead is not None and ahead > 0


def requests_remain(headers: Mapping[str, str]) -> bool:
    """Whether the headers say that the window is not used up."""
    return (_number(headers.get("ratelimit-remaining")) or 0) > 0


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


def _number(text: str | None) -> int | None:
    """Return a whole number that is not negative."""
    try:
        return max(0, int(text)) if text is not None else None
    except ValueError:
        return None
