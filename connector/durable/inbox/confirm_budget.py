"""Bounds the requests that confirming events may waste, for each API key.

A request is wasted when it confirms nothing that is new. Forged events cause only such requests: a flood of them uses
up its own budget, and not the key's rate window.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from cachetools import LRUCache

MAX_CREDENTIALS = 4096
MAX_WASTED = 20
REFILL_SECONDS = 30.0
"""After this many seconds one more request may be wasted: about 50 in each quarter of an hour."""


@dataclass(eq=False)
class ConfirmBudget:
    """What is left for each credential."""

    _left: LRUCache[str, tuple[float, float]] = field(default_factory=lambda: LRUCache(MAX_CREDENTIALS))
    """By credential id: how many requests were left, and when."""

    def left(self, credential_id: str, now: float) -> int:
        """Return how many requests may be wasted now."""
        return int(self._exactly(credential_id, now))

    def charge(self, credential_id: str, wasted: int, now: float) -> None:
        """Count wasted requests."""
        if wasted:
            self._left[credential_id] = self._exactly(credential_id, now) - wasted, now

    def _exactly(self, credential_id: str, now: float) -> float:
        left, since = self._left.get(credential_id, (float(MAX_WASTED), now))
        return min(MAX_WASTED, left + (now - since) / REFILL_SECONDS)
