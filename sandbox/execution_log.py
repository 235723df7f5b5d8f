"""The log of executed writes: what was received, when, what it led to, and how it was answered.

It is complete whatever the caller received: lost answers and writes executed late are in it as well.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct

from connector.sandbox.request_log import LogEntry


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
