"""One log line for every request, written together with those of the same moment: a line alone costs a tenth of a call.

What was answered in the last moment before a crash of the process is missing from the log, and from nothing else.
"""

from __future__ import annotations

import asyncio
import logging
import time
from typing import Any

from connector.core.redact import HIDDEN
from connector.interfaces.host.logs import LINES
from connector.interfaces.host.under_way import UnderWay

MOMENT = 0.1
MOST_WAITING = 1000
log = logging.getLogger("kontor.host")


class RequestLog:
    """Collects the lines of one event loop."""

    def __init__(self) -> None:
        self._lines: list[dict[str, Any]] = []
        self._timer: asyncio.TimerHandle | None = None

    def note(self, method: str, under_way: UnderWay, status: int, seconds: float) -> None:
        """One request was answered."""
        if not log.isEnabledFor(logging.INFO):
            return
        id, secret = under_way.request_id, under_way.secret
        line: dict[str, Any] = {
            "at": time.time(),
            "message": "answered",
            "request_id": id.replace(secret, HIDDEN) if secret and secret in id else id,
            "method": method,
            "route": under_way.route,
            "status": status,
            "milliseconds": round(seconds * 1000, 1),
        }
        if under_way.kind is not None:
            line["kind"] = under_way.kind
        self._lines.append(line)
        if len(self._lines) >= MOST_WAITING:
            self.write()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(MOMENT, self.write)

    def write(self) -> None:
        """Writes what has been collected."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        lines, self._lines = self._lines, []
        if lines:
            log.info("answered", extra={LINES: lines})
