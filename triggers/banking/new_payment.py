"""Fires every payment once, in the order of their ids, whoever initiated it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from triggers.cursor import Cursor
from triggers.rows import Row, looks_cut, numbered


def ask(inputs: dict[str, Any], cursor: str | None, now: datetime) -> dict[str, Any]:
    """Read on behind the last id."""
    return {} if cursor is None else {"from_id": str(Cursor.read(cursor).reads_from)}


def turn(
    items: list[Row], cursor: str | None, inputs: dict[str, Any], now: datetime, start: str
) -> tuple[list[Row], str]:
    """The payments to fire and the next cursor."""
    known = Cursor.starting(start) if cursor is None else Cursor.read(cursor)
    rows = numbered(items)
    fresh = [] if known.skipping else [row for number, row in rows.items() if number > known.after]
    fired = [{**row, "_id": str(row["id"])} for row in fresh]
    return fired, str(known.moved(rows.keys(), looks_cut(items), {}))


def more(items: list[Row], inputs: dict[str, Any]) -> bool:
    """Whether the list may have been cut off; the service says that it gives all, and asking again is free."""
    return looks_cut(items)
