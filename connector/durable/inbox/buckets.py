"""Bounds how often each caller may come: a bucket of permits per caller that fills up again with time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rate:
    """So many a second in the long run, and so many at once."""

    per_second: float
    at_once: float


class Buckets:
    """A bucket per caller. Those not seen longest are forgotten, so that memory stays bounded."""

    def __init__(self, rate: Rate, most: int = 10_000) -> None:
        self._rate = rate
        self._most = most
        self._buckets: dict[str, list[float]] = {}
        """What each caller had left, and when."""

    def take(self, caller: str, now: float) -> bool:
        """Takes a permit; False when the caller has none left."""
        bucket = self._buckets.get(caller)
        if bucket is None:
            if len(self._buckets) >= self._most:
                self._forget_the_quietest()
            bucket = self._buckets[caller] = [self._rate.at_once, now]
        left = min(self._rate.at_once, bucket[0] + (now - bucket[1]) * self._rate.per_second)
        bucket[1] = now
        bucket[0] = left - 1 if left >= 1 else left
        return left >= 1

    def _forget_the_quietest(self) -> None:
        """Half of them at once, so that a flood of new callers does not look for each."""
        quietest = sorted(self._buckets, key=lambda caller: self._buckets[caller][1])
        for caller in quietest[: max(1, len(quietest) // 2)]:
            del self._buckets[caller]
