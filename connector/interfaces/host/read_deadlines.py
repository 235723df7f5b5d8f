"""Closes connections whose request does not arrive in time, and keeps their number below the limit of open files.

Nothing is scheduled per request: a connection only notes since when it waits, and the server's tick looks at all.
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
    """A connection that notes for what it waits."""

    most: int = max_connections()

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.waits_for_head_since: float | None = None
        self._body_since: float | None = None
        self._heard_at = 0.0

    def connection_made(self, transport: Any) -> None:
        """Begin to wait; when there are too many, the one that has waited longest without a request is closed."""
        super().connection_made(transport)
        self.waits_for_head_since = self.loop.time()
        if len(self.connections) > self.most:
            waiting = [one for one in self.connections if _waits(one)]
            oldest = min(waiting, key=lambda one: getattr(one, "waits_for_head_since", 0.0), default=self)
            oldest.transport.abort()

    def on_message_begin(self) -> None:
        """Wait for the head of a further request."""
        super().on_message_begin()
        if self.waits_for_head_since is None:
            self.waits_for_head_since = self.loop.time()

    def on_headers_complete(self) -> None:
        """Wait for the body."""
        self.waits_for_head_since = None
        self._body_since = self._heard_at = self.loop.time()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Note that a part of the body came."""
        self._heard_at = self.loop.time()
        super().on_body(body)

    def on_message_complete(self) -> None:
        """The request is complete."""
        self._body_since = None
        super().on_message_complete()

    def is_late(self, now: float) -> bool:
        """Whether the request should have arrived by now. A body that the host itself holds back is not late."""
        if self.waits_for_head_since is not None:
            return now - self.waits_for_head_since > HEAD_SECONDS
        if self._body_since is None or self.flow.read_paused:
            return False
        return now - self._heard_at > BODY_IDLE_SECONDS or now - self._body_since > BODY_SECONDS


def close_late(connections: Iterable[asyncio.Protocol], now: float) -> int:
    """Close the connections whose request is late; return how many."""
    late = [one for one in connections if isinstance(one, ReadDeadlineProtocol) and one.is_late(now)]
    for one in late:
        one.transport.abort()
    return len(late)


def _waits(connection: asyncio.Protocol) -> bool:
    return isinstance(connection, ReadDeadlineProtocol) and connection.waits_for_head_since is not None
