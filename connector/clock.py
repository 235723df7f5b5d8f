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

    def now(self) -> float:
        """Seconds since some fixed moment; for differences only."""
        return self._start + (time.monotonic() - self._start) * self.speed

    def today(self) -> datetime:
        """The calendar's date and time, in UTC: the machine's own, and as far ahead as this clock has run ahead."""
        return datetime.now(UTC) + timedelta(seconds=self.now() - time.monotonic())

    def real(self, seconds: float) -> float:
        """How long to sleep in real time for `seconds` of this clock to pass."""
        return max(0.0, seconds) / self.speed
