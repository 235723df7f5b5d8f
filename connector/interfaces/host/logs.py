"""JSON logging, one object per line, with secrets redacted."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TextIO

from connector.core.redact import HIDDEN
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
