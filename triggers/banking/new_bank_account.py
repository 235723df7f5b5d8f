"""Fires every bank account once, when it first stands in the list."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from triggers.known_ids import first_seen
from triggers.rows import Row


def turn(
    items: list[Row], cursor: str | None, inputs: dict[str, Any], now: datetime, start: str
) -> tuple[list[Row], str]:
    """What is new in the list, and the next cursor."""
    return first_seen(items, cursor, start)
