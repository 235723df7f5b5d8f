"""Checks where transactions shall come from, before a credit is spent on a question the service refuses."""

from __future__ import annotations

from typing import Any

from connector.core.problem import Problem


def check(inputs: dict[str, Any]) -> None:
    """Refuse a poll that names neither a bank connection nor a bank account."""
    if "connection_id" not in inputs and "account_id" not in inputs:
        raise Problem("source_missing", field="connection_id")
