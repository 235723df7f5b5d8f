"""Scheduled actions, stored as data so that they survive a restart."""

from __future__ import annotations

from bisect import insort
from datetime import datetime
from typing import Literal

from msgspec import Struct

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
