"""Rate limits by caller, and their response headers."""

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
    """Format of RateLimit-Reset: seconds until the reset, or its unix time."""
    retry_after: bool = True
    headers: bool = True
    """Whether responses carry RateLimit-*."""

    def limit_and_window(self, group: Group) -> tuple[int, float]:
        return (self.limit, self.window) if group == "api" else (self.webhook_limit, self.webhook_window)


class LimitResult(NamedTuple):
    """Whether a request is allowed, and the state of its window."""

    allowed: bool
    limit: int
    remaining: int
    resets_at: float
    now: float

    def headers(self, settings: LimitSettings, refused: bool) -> list[tuple[str, str]]:
        seconds = max(0, ceil(self.resets_at - self.now))
        reset = seconds if settings.reset == "seconds" else ceil(self.resets_at)
        headers = []
        if settings.headers:
            headers = [
                ("RateLimit-Limit", str(self.limit)),
                ("RateLimit-Remaining", "0" if refused else str(self.remaining)),
                ("RateLimit-Reset", str(reset)),
            ]
        if refused and settings.retry_after:
            headers.append(("Retry-After", str(seconds)))
        return headers


class RateLimiter:
    """Counts allowed requests by caller."""

    def __init__(self) -> None:
        self._accepted: dict[tuple[Group, str], deque[float]] = {}

    def clear(self) -> None:
        self._accepted.clear()

    def count(self, group: Group, caller: str, now: datetime, settings: LimitSettings) -> LimitResult:
        limit, window = settings.limit_and_window(group)
        timestamp = now.timestamp()
        accepted = self._accepted.setdefault((group, caller), deque())
        if settings.style == "sliding":
            while accepted and accepted[0] + window <= timestamp:
                accepted.popleft()
        elif accepted and accepted[0] + window <= timestamp:
            accepted.clear()
        allowed = len(accepted) < limit
        if allowed:
            accepted.append(timestamp)
        # In both styles the window resets when its first request expires.
        resets_at = (accepted[0] if accepted else timestamp) + window
        return LimitResult(allowed, limit, max(0, limit - len(accepted)), resets_at, timestamp)
