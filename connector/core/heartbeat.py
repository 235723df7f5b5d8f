"""Alive or dead: a counter that its owner raises regularly, and what an observer has seen of it.

No wall clock takes part: hosts may disagree about the time, and a clock may be set while they work.
"""

from __future__ import annotations

from collections.abc import Hashable

BEAT_SECONDS = 4.0
"""How often a living process raises its counters."""
DEAD_AFTER_SECONDS = 20.0
"""A counter that has not moved for so long belongs to a dead process."""


MANY_OBSERVED = 10_000
"""Counters from which on a process forgets those that it does not look at any more."""


class BeatObserver:
    """What one process has seen of the counters of others, timed by its own monotonic clock."""

    def __init__(self, dead_after: float = DEAD_AFTER_SECONDS) -> None:
        self.dead_after = dead_after
        self._seen: dict[str, tuple[Hashable, float]] = {}
        """By name: the last value, and when it was first seen."""
        self._looked_at: dict[str, float] = {}
        """By name: when it was last asked for."""
        self._forget_at = MANY_OBSERVED

    def still_for(self, name: str, value: Hashable, now: float) -> float:
        """Return for how many seconds this value has been seen unchanged: 0 at first sight and after every change."""
        seen, self._looked_at[name] = self._seen.get(name), now
        if seen is None or seen[0] != value:
            if seen is None and len(self._seen) >= self._forget_at:
                self._forget_unasked(now)
            self._seen[name] = (value, now)
            return 0.0
        return now - seen[1]

    def is_dead(self, name: str, value: Hashable, now: float) -> bool:
        """Whether the counter has stood still for so long that its owner must be dead."""
        return self.still_for(name, value, now) >= self.dead_after

    def _forget_unasked(self, now: float) -> None:
        """Forget what nobody has asked for lately: what belongs to a dead process is asked for again and again."""
        for name in [name for name, at in self._looked_at.items() if now - at > 2 * self.dead_after]:
            self.forget(name)
        self._forget_at = max(MANY_OBSERVED, 2 * len(self._seen))

    def forget(self, name: str) -> None:
        """Drop what was seen, since the counter now belongs to this process or to nobody."""
        self._seen.pop(name, None)
        self._looked_at.pop(name, None)
