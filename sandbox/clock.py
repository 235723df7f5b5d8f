"""The sandbox's clock: real time, shifted and sped up at will. It never runs backwards."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta


class Clock:
    """Tells the time that everything in the sandbox lives by, aware and in UTC."""

    def __init__(
        self, start: datetime | None = None, speed: float = 1.0, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._monotonic = monotonic
        self._anchor = start or datetime.now(UTC)
        self._anchored_at = monotonic()
        self.speed = speed

    def now(self) -> datetime:
        return self._anchor + timedelta(seconds=(self._monotonic() - self._anchored_at) * self.speed)

    def advance(self, seconds: float) -> None:
        self.set(self.now() + timedelta(seconds=seconds))

    def set(self, moment: datetime) -> None:
        """Jump to `moment`, which lies ahead."""
        if moment < self.now():
            raise ValueError("the clock only moves forward")
        self._anchor, self._anchored_at = moment, self._monotonic()

    def run_at(self, speed: float) -> None:
        """Let time pass `speed` times as fast as real time; 0 stops it."""
        self._anchor, self._anchored_at, self.speed = self.now(), self._monotonic(), speed

    def real_seconds_until(self, moment: datetime) -> float | None:
        """How long to wait in real time until `moment`, or None when the clock stands still before it."""
        ahead = (moment - self.now()).total_seconds()
        if ahead <= 0:
            return 0.0
        return ahead / self.speed if self.speed else None
