"""When a failed delivery is tried again: soon at first, then ever more rarely, for about a day."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta

MINUTE, HOUR = 60.0, 3600.0
PAUSES = (5.0, 30.0, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 8 * HOUR)
"""Seconds after the first, second, … failed attempt; after the last of them the delivery is dead."""
JITTER = 0.1
"""Pauses vary by this share, so that a subscriber that comes back is not met by everybody at once."""


def next_attempt(
    attempts: int, now: datetime, retry_after: float | None = None, dice: Callable[[], float] = random.random
) -> datetime | None:
    """When to try again after `attempts` failures; None when there have been enough."""
    if attempts > len(PAUSES):
        return None
    pause = PAUSES[attempts - 1] * (1 - JITTER + 2 * JITTER * dice())
    return now + timedelta(seconds=max(pause, retry_after or 0.0))
