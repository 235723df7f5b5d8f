"""Rate limiting per caller with token buckets."""

from __future__ import annotations

from dataclasses import dataclass


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
