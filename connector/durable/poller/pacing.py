"""When to come back: spread over time, sooner after a small mishap, later after a lasting one."""

from __future__ import annotations

import random
from datetime import datetime, timedelta
from typing import Any

from connector.core import backoff
from connector.core.errors import BudgetHeld, KontorError
from connector.core.manifest.model import Trigger
from connector.core.messages import say

FIRST_BACK_OFF = 15.0
LONGEST_BACK_OFF = 3600.0
BUDGET_BACK_OFF = 900.0


def spread(seconds: float) -> float:
    """About so many seconds: flows that were started together do not stay in step."""
    return backoff.jittered(seconds)


def next_poll(trigger: Trigger, now: datetime) -> datetime:
    """When an undisturbed trigger is polled again."""
    return now + timedelta(seconds=spread(trigger.usual_interval))


def trouble_of(error: Exception, before: dict[str, Any] | None, now: datetime) -> dict[str, Any]:
    """The error as the cursor remembers it, with how many times in a row a poll has failed."""
    known = error if isinstance(error, KontorError) else KontorError(say("unexpected", why=type(error).__name__))
    failures = int((before or {}).get("failures", 0)) + 1
    return {**known.as_dict(), "failures": failures, "at": now.isoformat(timespec="seconds")}


def after_trouble(error: Exception, failures: int, now: datetime) -> datetime:
    """When to try again. A time that the service has told is kept to."""
    if isinstance(error, KontorError) and error.retry_at is not None and error.retry_at > now:
        return error.retry_at + timedelta(seconds=random.uniform(0, 5))  # noqa: S311
    first = BUDGET_BACK_OFF if isinstance(error, BudgetHeld) else FIRST_BACK_OFF
    return now + timedelta(seconds=spread(backoff.doubled(failures, first=first, longest=LONGEST_BACK_OFF)))
