"""Log lines as JSON, one object a line, with everything hidden that opens a door."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, TextIO

from connector.core.redact import HIDDEN
from connector.core.values import json
from connector.interfaces.host.under_way import REQUEST, UnderWay

LINES = "lines"
"""Under this name a log call passes lines of its own in `extra`, each a dict: many requests, written together."""
QUIET = ("httpx", "httpcore", "uvicorn.access", "asyncio")
"""They tell of every request with its whole address, which may hold a subscriber's secret."""
LEAST_SECRET = 8
PATTERNS = (
    (re.compile(r"/hooks/[^\s\"'/?#]+"), f"/hooks/{HIDDEN}"),
    (re.compile(r"whsec_[A-Za-z0-9+/=_-]+"), HIDDEN),
    (re.compile(r"(?i)(bearer\s+)[^\s\"',]+"), rf"\g<1>{HIDDEN}"),
    (
        re.compile(r"(?i)((?:x-api-key|authorization|token|secret)[\"']?\s*[=:]\s*[\"']?)[^\s\"'&,}]+"),
        rf"\g<1>{HIDDEN}",
    ),
    (re.compile(r"://[^\s/@]+@"), f"://{HIDDEN}@"),
)


class JsonLines(logging.Formatter):
    """Writes a record as one JSON object, under the id of the request that it belongs to."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        self._secrets = tuple(secret for secret in secrets if len(secret) >= LEAST_SECRET)

    def format(self, record: logging.LogRecord) -> str:
        """The line, or the lines that the record brings along."""
        under_way = REQUEST.get()
        own: list[dict[str, Any]] | None = getattr(record, LINES, None)
        text = "\n".join(_encoded(record, line) for line in own) if own else self._line(record, under_way)
        for secret in (*self._secrets, under_way.secret if under_way is not None else ""):
            if len(secret) >= LEAST_SECRET:
                text = text.replace(secret, HIDDEN)
        if not own:  # such lines hold routes in place of addresses, and nobody's words
            for pattern, replacement in PATTERNS:
                text = pattern.sub(replacement, text)
        return text

    def _line(self, record: logging.LogRecord, under_way: UnderWay | None) -> str:
        line = {"message": record.getMessage()}
        if under_way is not None:
            line["request_id"] = under_way.request_id
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return _encoded(record, line)


def _encoded(record: logging.LogRecord, line: dict[str, Any]) -> str:
    at = datetime.fromtimestamp(line.pop("at", record.created), UTC).isoformat(timespec="milliseconds")
    head = {"at": at, "level": record.levelname.lower(), "logger": record.name}
    return json.encode_clean({**head, **line}).decode()


def begin(level: str, secrets: Iterable[str], stream: TextIO | None = None) -> None:
    """Sends every log line of this process to `stream` (default: stderr) as JSON."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines(secrets))
    logging.basicConfig(level=level.upper(), handlers=[handler], force=True)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
