"""Slows down whoever tries many tokens: after some failures in a minute an address has to wait."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from cachetools import LRUCache

WINDOW_SECONDS = 60.0
MAX_ADDRESSES = 10_000


class AttemptBrake:
    """Counts failed attempts by address."""

    def __init__(self, most: int, now: Callable[[], float] = time.monotonic) -> None:
        """`most`: failures in a minute that are answered as usual."""
        self._most, self._now = most, now
        self._failures: LRUCache[str, deque[float]] = LRUCache(MAX_ADDRESSES)

    def seconds_to_wait(self, address: str) -> float:
        """Return how long the address has to wait; 0 when it may try."""
        failures = self._failures.get(address)
        if not failures or len(failures) < self._most:
            return 0.0
        return max(0.0, failures[0] + WINDOW_SECONDS - self._now())

    def failed(self, address: str) -> None:
        """Count a failure."""
        self._failures.setdefault(address, deque(maxlen=self._most)).append(self._now())
