"""The sandbox's clock: real time with an offset and a speed; it never goes back."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta


class Clock:
    """The time of the sandbox, in UTC."""

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
        """Jump to `moment`, which must not be in the past."""
        if moment < self.now():
            raise ValueError("the clock only moves forward")
        self._anchor, self._anchored_at = moment, self._monotonic()

    def set_speed(self, speed: float) -> None:
        """Set the speed relative to real time; 0 stops the clock."""
        self._anchor, self._anchored_at, self.speed = self.now(), self._monotonic(), speed

    def real_seconds_until(self, moment: datetime) -> float | None:
        """Return the real seconds until `moment`, or None if the clock is stopped."""
        seconds = (moment - self.now()).total_seconds()
        if seconds <= 0:
            return 0.0
        return seconds / self.speed if self.speed else None
