"""Rate limits: how many requests a caller may send in a window, and the headers that say so."""

from __future__ import annotations

from collections import deque
from datetime import datetime
from math import ceil
from typing import Literal, NamedTuple

from msgspec import Struct

Group = Literal["api", "provider_webhooks"]


class LimitSettings(Struct, kw_only=True, frozen=True):
    limit: int = 200
    window: float = 900.0
    """Seconds."""
    webhook_limit: int = 60
    webhook_window: float = 60.0
    style: Literal["fixed", "sliding"] = "fixed"
    reset: Literal["seconds", "timestamp"] = "seconds"
    """What RateLimit-Reset holds: seconds until the reset, or its unix time."""
    retry_after: bool = True

    def of(self, group: Group) -> tuple[int, float]:
        return (self.limit, self.window) if group == "api" else (self.webhook_limit, self.webhook_window)


class Verdict(NamedTuple):
    """Whether a request is within the limit, and where the window stands after it."""

    allowed: bool
    limit: int
    remaining: int
    resets_at: float
    now: float

    def headers(self, settings: LimitSettings, refused: bool) -> list[tuple[str, str]]:
        seconds = max(0, ceil(self.resets_at - self.now))
        reset = seconds if settings.reset == "seconds" else ceil(self.resets_at)
        headers = [
            ("RateLimit-Limit", str(self.limit)),
            ("RateLimit-Remaining", "0" if refused else str(self.remaining)),
            ("RateLimit-Reset", str(reset)),
        ]
        if refused and settings.retry_after:
            headers.append(("Retry-After", str(seconds)))
        return headers


class RateLimiter:
    """Counts requests by caller. Only requests let through fill the window."""

    def __init__(self) -> None:
        self._passed: dict[tuple[Group, str], deque[float]] = {}

    def clear(self) -> None:
        self._passed.clear()

    def count(self, group: Group, caller: str, now: datetime, settings: LimitSettings) -> Verdict:
        limit, window = settings.of(group)
        moment = now.timestamp()
        passed = self._passed.setdefault((group, caller), deque())
        if settings.style == "sliding":
            while passed and passed[0] + window <= moment:
                passed.popleft()
        elif passed and passed[0] + window <= moment:
            passed.clear()
        allowed = len(passed) < limit
        if allowed:
            passed.append(moment)
        # The first entry opens a fixed window and is the next to leave a sliding one: both reset by it.
        resets_at = (passed[0] if passed else moment) + window
        return Verdict(allowed, limit, max(0, limit - len(passed)), resets_at, moment)
