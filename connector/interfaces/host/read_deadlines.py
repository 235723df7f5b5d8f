"""Closes connections whose request does not arrive in time, and keeps their number below the limit of open files.

Nothing is scheduled per request: a connection notes when it last received something, and the server looks at all.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from connector.interfaces.host.header_limits import HeaderLimitProtocol

HEAD_SECONDS = 15.0
"""For the request line and all headers, from the first byte or the opening of the connection."""
BODY_IDLE_SECONDS, BODY_SECONDS = 20.0, 300.0
"""Between two parts of a body, and for the whole of it."""
MAX_CONNECTIONS = 16_384
OTHER_FILES = 256
"""Open files that are no connections of callers: the database, calls to the service, deliveries."""


def max_connections() -> int:
    """Return how many connections the limit of open files allows."""
    try:
        import resource
    except ImportError:  # there is no such limit on Windows
        return MAX_CONNECTIONS
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return max(64, min(files, MAX_CONNECTIONS) - OTHER_FILES)


class ReadDeadlineProtocol(HeaderLimitProtocol):
    """A connection that knows for what it waits."""

    most: int = max_connections()

    def connection_made(self, transport: Any) -> None:
        """Begin to wait; when there are too many, the one that has waited longest without a request is closed."""
        super().connection_made(transport)
        self.head_since = self.heard_at = self.loop.time()
        if len(self.connections) > self.most:
            waiting = [one for one in self.connections if isinstance(one, ReadDeadlineProtocol) and one.waits_for_head]
            min(waiting, key=lambda one: one.head_since, default=self).transport.abort()

    @property
    def waits_for_head(self) -> bool:
        """Whether a request has begun and its head is not complete, or none was ever begun."""
        return self.in_head or self.cycle is None

    def is_late(self, now: float) -> bool:
        """Whether the request should have arrived by now. A body that the host itself holds back is not late."""
        if self.waits_for_head:
            return now - self.head_since > HEAD_SECONDS
        if not self.cycle.more_body or self.cycle.response_complete or self.flow.read_paused:
            return False
        return now - self.heard_at > BODY_IDLE_SECONDS or now - self.head_since > BODY_SECONDS


def close_late(connections: Iterable[asyncio.Protocol], now: float) -> int:
    """Close the connections whose request is late; return how many."""
    late = [one for one in connections if isinstance(one, ReadDeadlineProtocol) and one.is_late(now)]
    for one in late:
        one.transport.abort()
    return len(late)
