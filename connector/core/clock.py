"""The clock: one object to ask for the time, so that simulations can run it faster."""

from __future__ import annotations

import time
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
