"""Fires every transaction once, in the order in which they came in, however far back their value date lies.

Only the id decides what is new. Pending rows do not fire unless asked for: they are waited for, and fire when they are
shown as posted under the same id. Whatever is not called pending counts as posted, since the service does not show all
statuses. A row that waits is given up when the list no longer shows it, or 30 days after it came in.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from triggers.banking.transaction_source import check
from triggers.cursor import Cursor
from triggers.days import age_in_days, arrived_late
from triggers.rows import Row, looks_cut, numbered

__all__ = ["ask", "check", "more", "turn"]

PATIENCE_DAYS = 30


def ask(inputs: dict[str, Any], cursor: str | None, now: datetime) -> dict[str, Any]:
    """Read on behind the last id; while rows are waited for, from the lowest of them."""
    return {} if cursor is None else {"from_id": str(Cursor.read(cursor).reads_from)}


def turn(
    items: list[Row], cursor: str | None, inputs: dict[str, Any], now: datetime, start: str
) -> tuple[list[Row], str]:
    """The transactions to fire and the next cursor."""
    known = Cursor.starting(start) if cursor is None else Cursor.read(cursor)
    rows = numbered(items)
    gone = known.gone(rows)
    waiting = {number: "" for number in known.waiting if number not in gone}
    pending_too, duplicates_too = bool(inputs.get("include_pending")), bool(inputs.get("include_duplicates"))
    fired: list[Row] = []
    for number, row in rows.items():
        waited_for = number in known.waiting
        if number <= known.after and not waited_for:
            continue
        if not pending_too and row.get("status") == "pending":
            if _worth_waiting(row, now):
                waiting[number] = ""
            else:
                waiting.pop(number, None)
            continue
        if waited_for:
            del waiting[number]
        elif known.skipping:
            continue
        if duplicates_too or row.get("duplicated") is not True:
            fired.append({**row, "_id": str(row["id"]), "_late": arrived_late(row)})
    return fired, str(known.moved(rows.keys(), looks_cut(items), waiting))


def more(items: list[Row], inputs: dict[str, Any]) -> bool:
    """Whether the page may have been cut off."""
    return looks_cut(items)


def _worth_waiting(row: Row, now: datetime) -> bool:
    age = age_in_days(row, now)
    return age is None or age <= PATIENCE_DAYS
