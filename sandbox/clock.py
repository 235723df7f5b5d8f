"""The sandbox's clock, which never goes back, and the actions that it starts when they are due."""

from __future__ import annotations

import time
from bisect import insort
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Literal

from msgspec import Struct


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


TimerKind = Literal["connect_cleanup", "consent_end", "payment_step"]


class Timer(Struct, frozen=True):
    at: datetime
    number: int
    """Orders timers with the same time."""
    kind: TimerKind
    subject: str
    """The id of the bank connection or payment."""


class Timers(Struct):
    pending: list[Timer] = []
    next_number: int = 1

    def add(self, at: datetime, kind: TimerKind, subject: str) -> None:
        insort(self.pending, Timer(at, self.next_number, kind, subject), key=lambda timer: (timer.at, timer.number))
        self.next_number += 1

    def pop_due(self, now: datetime) -> Timer | None:
        return self.pending.pop(0) if self.pending and self.pending[0].at <= now else None

    def next_at(self) -> datetime | None:
        return self.pending[0].at if self.pending else None
