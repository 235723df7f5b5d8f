"""Names of cursors, and when each is polled next.

Names of cursors: the key's fingerprint, then a given name or one derived from trigger and inputs.

When a cursor is polled next: its usual interval, or a back-off after errors, both with jitter.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from connector.core import timing
from connector.core.errors import BudgetHeld, InputError, KontorError
from connector.core.manifest.model import Trigger
from connector.core.messages import ANYWHERE, say
from connector.core.values import json
from connector.store.triggers.cursors import StoredCursor

MAX_NAME_CHARACTERS = 200


def cursor_name(fingerprint: str, trigger_id: str, inputs: Mapping[str, Any], name: str | None = None) -> str:
    """Return the cursor's name. `inputs` are converted; equal inputs of one trigger give equal names."""
    if name is None:
        plain = json.encode({key: inputs[key] for key in sorted(inputs)})
        return f"{fingerprint}:{trigger_id}-{hashlib.sha256(plain).hexdigest()[:10]}"
    if not 0 < len(name.strip()) <= len(name) <= MAX_NAME_CHARACTERS or not name.isprintable():
        raise InputError(say("cursor_name_invalid", most=MAX_NAME_CHARACTERS), field="name")
    return f"{fingerprint}:{name}"


FIRST_BACKOFF = 15.0
MAX_BACKOFF = 3600.0
BUDGET_BACKOFF = 900.0
LONGEST_RETRY = timedelta(seconds=MAX_BACKOFF * max(timing.AROUND))


def jittered(seconds: float) -> float:
    """Return about so many seconds, so that flows that were started together spread out."""
    return timing.jittered(seconds)


def next_poll(trigger: Trigger, now: datetime) -> datetime:
    """Return the time of the next poll after a successful one, never before the least interval."""
    return now + timedelta(seconds=max(jittered(trigger.usual_interval), trigger.least_interval))


def first_poll(trigger: Trigger, inputs: Mapping[str, Any], known: StoredCursor | None, now: datetime) -> datetime:
    """Return when a flow is first polled: at once, unless the same look was paid for within the least interval."""
    if known is None or known.polled_at is None or known.inputs != inputs or trigger.shared is not None:
        return now
    least = timedelta(seconds=trigger.least_interval if trigger.cost.credits else 0)
    return known.polled_at + least if timedelta(0) <= now - known.polled_at < least else now


def longest_interval(trigger: Trigger) -> timedelta:
    """Return how far ahead the next poll can be after a successful one."""
    return timedelta(seconds=trigger.usual_interval * max(timing.AROUND))


def error_record(error: Exception, before: dict[str, Any] | None, now: datetime) -> dict[str, Any]:
    """Return the error as stored with the cursor, including the number of failures in a row."""
    known = error if isinstance(error, KontorError) else _unexpected(error)
    failures = int((before or {}).get("failures", 0)) + 1
    text = known.message.as_dict(ANYWHERE)
    return {
        **known.as_dict(platform=ANYWHERE),
        "text": text,
        "failures": failures,
        "at": now.isoformat(timespec="seconds"),
    }


def _unexpected(error: Exception) -> KontorError:
    remedy = say("unexpected_remedy", place="poll")
    return KontorError(say("unexpected", why=type(error).__name__), remedy=remedy)


def retry_time(error: Exception, failures: int, now: datetime) -> datetime:
    """Return the time of the next attempt; one that the service named is used, within `MAX_BACKOFF`."""
    if isinstance(error, KontorError) and error.retry_at is not None and error.retry_at > now:
        named = min(error.retry_at, now + timedelta(seconds=MAX_BACKOFF))
        return named + timedelta(seconds=random.uniform(0, 5))  # noqa: S311
    first = BUDGET_BACKOFF if isinstance(error, BudgetHeld) else FIRST_BACKOFF
    return now + timedelta(seconds=jittered(timing.doubled(failures, first=first, longest=MAX_BACKOFF)))
