"""Limits of what confirming events may ask of the service.

Bounds the requests that confirming events may waste, for each API key.

A request is wasted when it confirms nothing that is new. Forged events cause only such requests: a flood of them uses
up its own budget, and not the key's rate window.

Leaves API keys alone for which the service cannot be asked: ever longer, while it cannot.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from cachetools import LRUCache

from connector.core import timing

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


FIRST_SECONDS, LONGEST_SECONDS = 2.0, 30.0
MAX_PAUSE = timedelta(minutes=15)
"""The longest pause, whatever the service asks for."""
MAX_PAUSED = 16_384


class Pauses:
    """The pauses of one host, by credential id, on the monotonic clock."""

    def __init__(self) -> None:
        self._failures: LRUCache[str, tuple[int, float]] = LRUCache(MAX_PAUSED)
        """How often the service could not be asked in a row, and until when it is not asked again."""

    def left(self, credential_id: str, now: float) -> float:
        """Return how many seconds are left of a pause; 0 without one."""
        _, until = self._failures.get(credential_id, (0, now))
        return max(0.0, until - now)

    def begin(self, credential_id: str, now: float, asked: float = 0.0) -> float:
        """Begin a pause after a failure, of at least so many seconds as the service asks for; return its seconds."""
        failures = self._failures.get(credential_id, (0, now))[0] + 1
        usual = timing.doubled(failures, first=FIRST_SECONDS, longest=LONGEST_SECONDS)
        seconds = min(max(usual, asked), MAX_PAUSE.total_seconds())
        self._failures[credential_id] = failures, now + seconds
        return seconds

    def end(self, credential_id: str) -> None:
        """Note that the service answers."""
        self._failures.pop(credential_id, None)
