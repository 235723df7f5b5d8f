"""What will happen by itself when the clock gets there, kept as plain data so that it survives a restart."""

from __future__ import annotations

from bisect import insort
from datetime import datetime
from typing import Literal

from msgspec import Struct

TimerKind = Literal["connect_cleanup", "consent_end", "payment_step"]


class Timer(Struct, frozen=True):
    at: datetime
    number: int
    """Breaks ties: of two timers for the same moment the one set first runs first."""
    kind: TimerKind
    subject: str
    """The id of what it is about."""


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
