"""The logs of received requests and of executed writes, without API keys.

It is complete whatever the caller received: lost answers and writes executed late are in it as well.
"""

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


class Execution(Struct, kw_only=True):
    """A write that changed data."""

    sequence: int
    executed_at: datetime
    organization_id: str
    request: LogEntry
    """The request as it arrived; its status says how it was answered."""
    result: Any
    """What the service answers, or would have answered."""


class ExecutionLog:
    """All executed writes in order of execution."""

    def __init__(self) -> None:
        self._executions: list[Execution] = []

    def add(self, executed_at: datetime, organization_id: str, request: LogEntry, result: Any) -> None:
        self._executions.append(
            Execution(
                sequence=len(self._executions) + 1,
                executed_at=executed_at,
                organization_id=organization_id,
                request=request,
                result=result,
            )
        )

    def since(self, sequence: int) -> list[Execution]:
        """Return executions with a higher sequence number, oldest first."""
        return self._executions[sequence:]
