"""JSON logging, one object per line, with secrets redacted; requests are written in batches."""

from __future__ import annotations

import asyncio
import logging
import re
import sys
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TextIO

from connector.core.service.credential import HIDDEN
from connector.core.values import json
from connector.interfaces.host.in_flight import CURRENT_REQUEST, InFlight

LINES = "lines"
"""Key in `extra` for a batch of prepared lines, each a dict that begins with its time as a number."""
QUIET_LOGGERS = ("httpx", "httpcore", "uvicorn.access", "asyncio", "alembic")
"""Loggers that write every URL, which may contain a subscriber's secret, or what only developers ask."""
MIN_SECRET_LENGTH = 8
SECRET_PATTERNS = (
    (re.compile(r"/hooks/[^\s\"'/?#]+"), f"/hooks/{HIDDEN}"),
    (re.compile(r"whsec_[A-Za-z0-9+/=_-]+"), HIDDEN),
    (re.compile(r"(?i)(bearer\s+)[^\s\"',]+"), rf"\g<1>{HIDDEN}"),
    (
        re.compile(r"(?i)((?:x-api-key|authorization|token|secret)[\"']?\s*[=:]\s*[\"']?)[^\s\"'&,}]+"),
        rf"\g<1>{HIDDEN}",
    ),
    (re.compile(r"://[^\s/@]+@"), f"://{HIDDEN}@"),
)
FLUSH_SECONDS = 0.1
MAX_BUFFERED = 1000
log = logging.getLogger("kontor.host")


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object with the current request id."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = tuple(secret for secret in secrets if len(secret) >= MIN_SECRET_LENGTH)

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, or the prepared lines of a batch."""
        in_flight = CURRENT_REQUEST.get()
        own: list[dict[str, Any]] | None = getattr(record, LINES, None)
        text = _encoded(own) if own else self._line(record, in_flight)
        for secret in (*self._secrets, in_flight.secret if in_flight is not None else ""):
            if len(secret) >= MIN_SECRET_LENGTH:
                text = text.replace(secret, HIDDEN)
        if not own:  # prepared lines contain route patterns and no free text
            for pattern, replacement in SECRET_PATTERNS:
                text = pattern.sub(replacement, text)
        return text

    def _line(self, record: logging.LogRecord, in_flight: InFlight | None) -> str:
        line: dict[str, Any] = {
            "at": record.created,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if in_flight is not None:
            line["request_id"] = in_flight.request_id
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return _encoded([line])


@lru_cache(maxsize=2)
def _second(at: int) -> str:
    """Return a time without its fraction, which most lines of a batch share."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def _encoded(lines: list[dict[str, Any]]) -> str:
    """Encode lines, which are not used again."""
    for line in lines:
        line["at"] = _time(line["at"])
    return json.encode_lines(lines).decode().removesuffix("\n")


def _time(at: float) -> str:
    seconds, milliseconds = divmod(int(at * 1000), 1000)
    return f"{_second(seconds)}.{milliseconds:03}+00:00"


def configure(level: str, secrets: Iterable[str], stream: TextIO | None = None) -> None:
    """Send all logging of this process to `stream` (default: stderr) as JSON."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter(secrets))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for name in QUIET_LOGGERS:
        logging.getLogger(name).setLevel(logging.WARNING)


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
