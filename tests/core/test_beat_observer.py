"""The dead are found however many counters a process looks at, and what it no longer looks at is forgotten."""

from __future__ import annotations

from connector.core import timing
from connector.core.timing import BeatObserver


def test_the_dead_are_found_however_many_they_are() -> None:
    observer, names = BeatObserver(20.0), [f"lease-{number}" for number in range(timing.MANY_OBSERVED + 2000)]
    for moment in range(0, 22, 2):
        dead = [name for name in names if observer.is_dead(name, 1, float(moment))]
    assert dead == names


def test_counters_that_nobody_looks_at_any_more_are_forgotten() -> None:
    observer = BeatObserver(20.0)
    for number in range(3 * timing.MANY_OBSERVED):
        observer.is_dead(f"lease-{number}", 1, number * 0.1)
    assert len(observer._seen) <= timing.MANY_OBSERVED + 1
    assert observer._seen.keys() == observer._looked_at.keys()
