"""Time: the clock, waiting after failures, signs of life, and rates per caller.

The clock: one object to ask for the time, so that simulations can run it faster.

How long to wait after failures: ever longer, up to a bound, and not in step with others who failed together.

Alive or dead: a counter that its owner raises regularly, and what an observer has seen of it.

No wall clock takes part: hosts may disagree about the time, and a clock may be set while they work.

Rate limiting per caller with token buckets.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache
from zoneinfo import ZoneInfo

INSTANT = 1e-4
"""Seconds that may pass between two questions for the time."""


@cache
def _berlin() -> ZoneInfo:
    return ZoneInfo("Europe/Berlin")


class Clock:
    """Monotonic seconds, and the UTC date and time that belong to them.

    With `speed` above 1 both run faster than real time; waits must be divided by `speed` (`real`).
    """

    speed = 1.0

    def __init__(self, speed: float = 1.0) -> None:
        if speed <= 0:
            raise ValueError("speed must be positive")
        self.speed = speed
        self._start = time.monotonic()

    def monotonic(self) -> float:
        """Seconds since some fixed moment; for differences only."""
        now = time.monotonic()
        return now if self.speed == 1.0 else self._start + (now - self._start) * self.speed

    def utcnow(self) -> datetime:
        """The date and time in UTC: the machine's own, plus what this clock has run ahead."""
        now, ahead = datetime.now(UTC), self.monotonic() - time.monotonic()
        return now if abs(ahead) < INSTANT else now + timedelta(seconds=ahead)

    def berlin_today(self) -> date:
        """Today's date in Europe/Berlin, by which credits are counted."""
        return self.utcnow().astimezone(_berlin()).date()

    def real(self, seconds: float) -> float:
        """How long to sleep in real time for `seconds` of this clock to pass."""
        return max(0.0, seconds) / self.speed


AROUND = (0.9, 1.1)
"""A pause varies by a tenth unless the caller says otherwise."""
MAX_DOUBLINGS = 64


def doubled(failures: int, *, first: float, longest: float) -> float:
    """The seconds after the first, second, … failure in a row: `first`, then twice as long each time."""
    return min(first * 2.0 ** min(failures - 1, MAX_DOUBLINGS), longest)


def listed(failures: int, pauses: Sequence[float]) -> float | None:
    """The seconds after the first, second, … failure in a row, from a list; None when there have been enough."""
    return pauses[failures - 1] if failures <= len(pauses) else None


def jittered(seconds: float, between: tuple[float, float] = AROUND, dice: Callable[[], float] = random.random) -> float:
    """About so many seconds: a share of them between these two."""
    least, most = between
    return seconds * (least + (most - least) * dice())


BEAT_SECONDS = 4.0
"""How often a living process raises its counters."""
DEAD_AFTER_SECONDS = 20.0
"""A counter that has not moved for so long belongs to a dead process."""


MANY_OBSERVED = 10_000
"""Counters from which on a process forgets those that it does not look at any more."""


class BeatObserver:
    """What one process has seen of the counters of others, timed by its own monotonic clock."""

    def __init__(self, dead_after: float = DEAD_AFTER_SECONDS) -> None:
        self.dead_after = dead_after
        self._seen: dict[str, tuple[Hashable, float]] = {}
        """By name: the last value, and when it was first seen."""
        self._looked_at: dict[str, float] = {}
        """By name: when it was last asked for."""
        self._forget_at = MANY_OBSERVED

    def still_for(self, name: str, value: Hashable, now: float) -> float:
        """Return for how many seconds this value has been seen unchanged: 0 at first sight and after every change."""
        seen, self._looked_at[name] = self._seen.get(name), now
        if seen is None or seen[0] != value:
            if seen is None and len(self._seen) >= self._forget_at:
                self._forget_unasked(now)
            self._seen[name] = (value, now)
            return 0.0
        return now - seen[1]

    def is_dead(self, name: str, value: Hashable, now: float) -> bool:
        """Whether the counter has stood still for so long that its owner must be dead."""
        return self.still_for(name, value, now) >= self.dead_after

    def _forget_unasked(self, now: float) -> None:
        """Forget what nobody has asked for lately: what belongs to a dead process is asked for again and again."""
        for name in [name for name, at in self._looked_at.items() if now - at > 2 * self.dead_after]:
            self.forget(name)
        self._forget_at = max(MANY_OBSERVED, 2 * len(self._seen))

    def forget(self, name: str) -> None:
        """Drop what was seen, since the counter now belongs to this process or to nobody."""
        self._seen.pop(name, None)
        self._looked_at.pop(name, None)


@dataclass(frozen=True, slots=True)
class RateLimit:
    """Requests per second in the long run, and requests at once."""

    per_second: float
    burst: float


class TokenBuckets:
    """A token bucket per caller. The least recent callers are evicted, so that memory stays bounded."""

    def __init__(self, rate: RateLimit, max_callers: int = 10_000) -> None:
        self._rate = rate
        self._max_callers = max_callers
        self._buckets: dict[str, list[float]] = {}
        """By caller: the remaining tokens, and when they were counted."""

    def take(self, caller: str, now: float) -> bool:
        """Take a token; False when the caller has none left."""
        bucket = self._buckets.get(caller)
        if bucket is None:
            if len(self._buckets) >= self._max_callers:
                self._evict_least_recent()
            bucket = self._buckets[caller] = [self._rate.burst, now]
        left = min(self._rate.burst, bucket[0] + (now - bucket[1]) * self._rate.per_second)
        bucket[1] = now
        bucket[0] = left - 1 if left >= 1 else left
        return left >= 1

    def _evict_least_recent(self) -> None:
        """Evict half of the callers at once, so that a flood of new ones does not sort for each."""
        least_recent = sorted(self._buckets, key=lambda caller: self._buckets[caller][1])
        for caller in least_recent[: max(1, len(least_recent) // 2)]:
            del self._buckets[caller]
