"""A clock on which all hosts of a database agree, see `clock_keeping`."""

from __future__ import annotations

from datetime import datetime, timedelta

from connector.core.clock import Clock


class SharedClock(Clock):
    """A host's own clock, corrected by what it differs from the clock of the host that keeps the time."""

    def __init__(self, own: Clock) -> None:
        self.own = own
        self.speed = own.speed
        self.correction = timedelta(0)

    def monotonic(self) -> float:
        """Seconds since some fixed moment, by the own clock."""
        return self.own.monotonic()

    def utcnow(self) -> datetime:
        """The date and time in UTC on which all hosts agree."""
        return self.own.utcnow() + self.correction

    def real(self, seconds: float) -> float:
        """How long to sleep in real time for `seconds` of this clock to pass."""
        return self.own.real(seconds)
