"""When a failed delivery is tried again: soon at first, then ever more rarely, for about a day."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta

from connector.core import backoff

MINUTE, HOUR = 60.0, 3600.0
PAUSES = (5.0, 30.0, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 8 * HOUR)
"""Seconds after the first, second, … failed attempt; after the last of them the delivery is dead."""


def next_attempt(
    attempts: int, now: datetime, retry_after: float | None = None, dice: Callable[[], float] = random.random
) -> datetime | None:
    """When to try again after `attempts` failures; None when there have been enough."""
    pause = backoff.listed(attempts, PAUSES)
    if pause is None:
        return None
    # A subscriber that comes back is not met by everybody at once.
    return now + timedelta(seconds=max(backoff.jittered(pause, dice=dice), retry_after or 0.0))
