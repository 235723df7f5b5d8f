"""Time as Kontor sees it: one object to ask, so that simulations can run it faster."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta


class Clock:
    """Seconds that only go forward, and the calendar that belongs to them.

    With `speed` above 1 both run faster than real time; waits must be divided by `speed` (`real`).
    """

    def __init__(self, speed: float = 1.0) -> None:
        if speed <= 0:
            raise ValueError("speed must be positive")
        self.speed = speed
        self._start = time.monotonic()
        self._started_at = datetime.now(UTC)

    def now(self) -> float:
        """Seconds since some fixed moment; for differences only."""
        return self._start + (time.monotonic() - self._start) * self.speed

    def today(self) -> datetime:
        """The calendar's date and time, in UTC."""
        return self._started_at + timedelta(seconds=self.now() - self._start)

    def real(self, seconds: float) -> float:
        """How long to sleep in real time for `seconds` of this clock to pass."""
        return max(0.0, seconds) / self.speed
