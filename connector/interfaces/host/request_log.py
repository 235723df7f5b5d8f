"""Buffers one log line per request and writes them in batches: single lines would cost a tenth of a call.

A crash of the process loses the buffered lines, at most those of the last tenth of a second.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from connector.core.redact import HIDDEN
from connector.interfaces.host.in_flight import InFlight
from connector.interfaces.host.logs import LINES

FLUSH_SECONDS = 0.1
MAX_BUFFERED = 1000
log = logging.getLogger("kontor.host")


class RequestLog:
    """The buffer of one event loop."""

    def __init__(self) -> None:
        self._lines: list[dict[str, Any]] = []
        self._timer: asyncio.TimerHandle | None = None

    def add(self, method: str, in_flight: InFlight, status: int, seconds: float) -> None:
        """Add a line for an answered request."""
        if not log.isEnabledFor(logging.INFO):
            return
        id, secret = in_flight.request_id, in_flight.secret
        line: dict[str, Any] = {
            "at": time.time(),
            "level": "info",
            "logger": log.name,
            "message": "answered",
            "request_id": id.replace(secret, HIDDEN) if secret and secret in id else id,
            "method": method,
            "route": in_flight.route,
            "status": status,
            "milliseconds": round(seconds * 1000, 1),
        }
        if in_flight.kind is not None:
            line["kind"] = in_flight.kind
        self._lines.append(line)
        if len(self._lines) >= MAX_BUFFERED:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_SECONDS, self.flush)

    def flush(self) -> None:
        """Write the buffered lines."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        lines, self._lines = self._lines, []
        if lines:
            log.info("answered", extra={LINES: lines})
