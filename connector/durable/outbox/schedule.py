"""Retry schedule of deliveries: increasing delays for about a day."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime, timedelta

from connector.core import timing
from connector.durable.sending.sender import MAX_RETRY_AFTER, RETRY_AFTER_STATUSES, Attempt

MINUTE, HOUR = 60.0, 3600.0
RETRY_DELAYS = (1.0, 5.0, 30.0, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 8 * HOUR)
"""Seconds after the first, second, … failed attempt; after the last of them the delivery is dead."""
FAILURES_BEFORE_REST = 3
"""How many answers in a row must be failures until a queue rests: one may concern one item, so many the target."""
LONGEST_REST = 30 * MINUTE
"""How long a queue rests at most, unless its target named a time: then one delivery tries it again."""
LONGEST_NAMED_REST = timedelta(seconds=MAX_RETRY_AFTER)


def next_attempt(
    attempts: int, now: datetime, retry_after: float | None = None, dice: Callable[[], float] = random.random
) -> datetime | None:
    """Return the time of the next attempt after so many failures; None when all attempts are used up."""
    delay = timing.listed(attempts, RETRY_DELAYS)
    if delay is None:
        return None
    # With jitter, so that a recovering subscriber does not get all retries at once.
    return now + timedelta(seconds=max(timing.jittered(delay, dice=dice), retry_after or 0.0))


def longest_delay(attempts: int, last_status: int | None) -> timedelta:
    """Return how far ahead the next attempt can be after so many failures, the last one with this status."""
    delay = (timing.listed(attempts, RETRY_DELAYS) or 0.0) if attempts else 0.0
    named = MAX_RETRY_AFTER if last_status in RETRY_AFTER_STATUSES else 0.0
    return timedelta(seconds=max(delay * max(timing.AROUND), named))


def rest_after(
    failures: int, attempt: Attempt, now: datetime, dice: Callable[[], float] = random.random
) -> datetime | None:
    """Return until when a queue rests after so many failures in a row, the last of them this one; None: not at all."""
    if attempt.retry_after:
        return now + timedelta(seconds=attempt.retry_after)
    rests = failures if attempt.status is None else failures - FAILURES_BEFORE_REST + 1
    if rests < 1:
        return None
    delay = min(timing.listed(rests, RETRY_DELAYS) or LONGEST_REST, LONGEST_REST)
    return now + timedelta(seconds=timing.jittered(delay, dice=dice))
