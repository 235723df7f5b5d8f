"""The error that every part of the simulated service raises."""

from __future__ import annotations

from typing import Any


class ServiceError(Exception):
    """An error response. The body carries `error`; ledger routes add the fields of a ledger error."""

    def __init__(self, status: int, error: str, **more: Any) -> None:
        super().__init__(error)
        self.status = status
        self.body: dict[str, Any] = {"error": error, **more}
