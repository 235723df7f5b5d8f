"""Checks what a list of payments is asked for: dates in order, and a cursor only where it works."""

from __future__ import annotations

from typing import Any

from connector.core.problem import Problem

DEFAULT_ORDER = "date"


def check(inputs: dict[str, Any]) -> None:
    """Refuse a filter that the service would silently ignore, or that can match nothing."""
    first, last = inputs.get("created_from"), inputs.get("created_to")
    if first and last and first > last:
        days = (first - last).days
        raise Problem("dates_reversed", field="created_from", created_from=first, created_to=last, days=days)
    order = inputs.get("sort", DEFAULT_ORDER)
    if "from_id" in inputs and order != "id":
        raise Problem("cursor_needs_order", field="from_id", sort=order)
