"""Fires each time a payment takes a later status, its first one included; what a lost event missed is found here.

Payments that are not final are read again from the lowest of them, at most 5,000 at a time. A status never goes back:
a list that is behind the times changes nothing.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from connector.core.payment_status import FINAL, moves_forward
from triggers.cursor import Cursor
from triggers.rows import Row, looks_cut, numbered

MOST_WATCHED = 5_000


def ask(inputs: dict[str, Any], cursor: str | None, now: datetime) -> dict[str, Any]:
    """Read from the lowest payment that is not final."""
    return {} if cursor is None else {"from_id": str(Cursor.read(cursor).reads_from)}


def turn(
    items: list[Row], cursor: str | None, inputs: dict[str, Any], now: datetime, start: str
) -> tuple[list[Row], str]:
    """The payments with a later status, and the next cursor."""
    known = Cursor.starting(start) if cursor is None else Cursor.read(cursor)
    rows = numbered(items)
    gone = known.gone(rows)
    watched = {number: status for number, status in known.waiting.items() if number not in gone}
    fired: list[Row] = []
    for number, row in rows.items():
        status, before = row.get("status"), known.waiting.get(number)
        first_sight = number > known.after
        if not isinstance(status, str) or not status or not (before or first_sight):
            continue
        if not moves_forward(before, status):
            continue
        watched[number] = status
        wanted = inputs.get("status", status) == status
        if wanted and not (first_sight and known.skipping):
            fired.append({**row, "_id": f"{row['id']}:{status}", "_previous_status": before})
    open_ones = {number: watched[number] for number in sorted(watched) if watched[number] not in FINAL}
    bounded = {number: open_ones[number] for number in list(open_ones)[-MOST_WATCHED:]}
    return fired, str(known.moved(rows.keys(), looks_cut(items), bounded))


def more(items: list[Row], inputs: dict[str, Any]) -> bool:
    """Whether the list may have been cut off; the service says that it gives all, and asking again is free."""
    return looks_cut(items)
