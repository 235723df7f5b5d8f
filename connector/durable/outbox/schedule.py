"""Retry schedule of deliveries: increasing delays for about a day."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta

from connector.core import backoff
from connector.durable.sending.sender import MAX_RETRY_AFTER, RETRY_AFTER_STATUSES

MINUTE, HOUR = 60.0, 3600.0
RETRY_DELAYS = (5.0, 30.0, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 8 * HOUR)
"""Seconds after the first, second, … failed attempt; after the last of them the delivery is dead."""


def next_attempt(
    attempts: int, now: datetime, retry_after: float | None = None, dice: Callable[[], float] = random.random
) -> datetime | None:
    """Return the time of the next attempt after so many failures; None when all attempts are used up."""
    delay = backoff.listed(attempts, RETRY_DELAYS)
    if delay is None:
        return None
    # With jitter, so that a recovering subscriber does not get all retries at once.
    return now + timedelta(seconds=max(backoff.jittered(delay, dice=dice), retry_after or 0.0))


def longest_delay(attempts: int, last_status: int | None) -> timedelta:
    """Return how far ahead the next attempt can be after so many failures, the last one with this status."""
    delay = (backoff.listed(attempts, RETRY_DELAYS) or 0.0) if attempts else 0.0
    named = MAX_RETRY_AFTER if last_status in RETRY_AFTER_STATUSES else 0.0
    return timedelta(seconds=max(delay * max(backoff.AROUND), named))
