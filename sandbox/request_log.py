"""The log of received requests and their outcome, without API keys."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from datetime import datetime
from itertools import islice
from typing import Any, Literal

from msgspec import Struct

MAX_ENTRIES = 100_000


class LogEntry(Struct, kw_only=True):
    sequence: int
    at: datetime
    method: str
    path: str
    query: dict[str, str]
    body: Any
    key: str | None
    """The key's name; None for an unknown or missing key."""
    status: int | Literal["dropped"] | None = None
    """The response status; None while the request is in progress."""
    acted: bool = False
    """Whether the request changed data, whatever the caller received."""
    credits_charged: int = 0
    credits_reserved: int = 0
    """Reserved until the outcome is known (a payment)."""
    dropdown: bool = False
    fault: str | None = None


class RequestLog:
    """The latest requests in order of arrival."""

    def __init__(self, max_entries: int = MAX_ENTRIES) -> None:
        self._entries: deque[LogEntry] = deque(maxlen=max_entries)
        self.received = 0

    def open(
        self, at: datetime, method: str, path: str, query: Mapping[str, str], body: Any, key: str | None
    ) -> LogEntry:
        """Add a request; its outcome is set on the returned entry."""
        self.received += 1
        entry = LogEntry(sequence=self.received, at=at, method=method, path=path, query=dict(query), body=body, key=key)
        self._entries.append(entry)
        return entry

    def since(self, sequence: int, limit: int) -> list[LogEntry]:
        """Return entries with a higher sequence number, oldest first."""
        dropped = self.received - len(self._entries)
        return list(islice(self._entries, max(0, sequence - dropped), max(0, sequence - dropped) + limit))
