"""Checks what a list of transactions is asked for: an account or a bank connection, and dates in order."""

from __future__ import annotations

from typing import Any

from connector.core.problem import Problem


def check(inputs: dict[str, Any]) -> None:
    """Refuse what the service would answer with 400, or with an empty list nobody meant."""
    if "connection_id" not in inputs and "account_id" not in inputs:
        raise Problem("source_missing", field="connection_id")
    first, last = inputs.get("from_date"), inputs.get("to_date")
    if first and last and first > last:
        days = (first - last).days
        raise Problem("dates_reversed", field="from_date", from_date=first, to_date=last, days=days)
