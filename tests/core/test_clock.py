"""Time as Kontor sees it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from connector.core import timing as module
from connector.core.timing import Clock


def test_the_calendar_is_the_machines_own_even_after_it_slept(monkeypatch) -> None:
    clock = Clock()

    class Later(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime.now(tz) + timedelta(hours=8)  # the calendar went on while the seconds stood still

    monkeypatch.setattr(module, "datetime", Later)
    assert timedelta(hours=7, minutes=59) < clock.utcnow() - datetime.now(UTC) < timedelta(hours=8, minutes=1)


def test_a_fast_clock_and_its_calendar_run_ahead_together() -> None:
    clock = Clock(speed=3600)
    begun, day = clock.monotonic(), clock.utcnow()
    while clock.monotonic() - begun < 60:
        pass
    assert abs((clock.utcnow() - day).total_seconds() - (clock.monotonic() - begun)) < 10
