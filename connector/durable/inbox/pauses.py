"""Leaves API keys alone for which the service cannot be asked: ever longer, while it cannot."""

from __future__ import annotations

from datetime import timedelta

from cachetools import LRUCache

from connector.core import backoff

FIRST_SECONDS, LONGEST_SECONDS = 2.0, 30.0
MAX_PAUSE = timedelta(minutes=15)
"""The longest pause, whatever the service asks for."""
MAX_CREDENTIALS = 16_384


class Pauses:
    """The pauses of one host, by credential id, on the monotonic clock."""

    def __init__(self) -> None:
        self._failures: LRUCache[str, tuple[int, float]] = LRUCache(MAX_CREDENTIALS)
        """How often the service could not be asked in a row, and until when it is not asked again."""

    def left(self, credential_id: str, now: float) -> float:
        """Return how many seconds are left of a pause; 0 without one."""
        _, until = self._failures.get(credential_id, (0, now))
        return max(0.0, until - now)

    def begin(self, credential_id: str, now: float, asked: float = 0.0) -> float:
        """Begin a pause after a failure, of at least so many seconds as the service asks for; return its seconds."""
        failures = self._failures.get(credential_id, (0, now))[0] + 1
        usual = backoff.doubled(failures, first=FIRST_SECONDS, longest=LONGEST_SECONDS)
        seconds = min(max(usual, asked), MAX_PAUSE.total_seconds())
        self._failures[credential_id] = failures, now + seconds
        return seconds

    def end(self, credential_id: str) -> None:
        """Note that the service answers."""
        self._failures.pop(credential_id, None)
