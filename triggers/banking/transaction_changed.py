"""Fires when a transaction that was already seen becomes posted, changes its status, or turns out to be a duplicate.

Rows are watched while they are young (`days`), pending ones for at least 30 days, at most 5,000 rows at a time. A
change needs two looks: whatever the start, the first poll only takes note.

What is remembered of a row: nothing for `posted`, `p` for `pending`, `-` for no status, else a dot and the status; `*`
behind it when the row is a duplicate.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from triggers.banking.transaction_source import check
from triggers.cursor import Cursor
from triggers.days import berlin_day, is_young
from triggers.rows import Row, looks_cut, numbered

__all__ = ["ask", "check", "more", "turn"]

USUAL_DAYS = 14
PENDING_DAYS = 30
MOST_WATCHED = 5_000
DUPLICATE = "*"
_NOTES = {"posted": "", "pending": "p"}
_STATUSES = {note: status for status, note in _NOTES.items()}


def ask(inputs: dict[str, Any], cursor: str | None, now: datetime) -> dict[str, Any]:
    """Read from the lowest watched row on, which finds late arrivals too; while nothing is known, by value date."""
    known = Cursor() if cursor is None else Cursor.read(cursor)
    if known.after:
        return {"from_id": str(known.reads_from)}
    return {"from_date": berlin_day(now) - timedelta(days=_days(inputs))}


def turn(
    items: list[Row], cursor: str | None, inputs: dict[str, Any], now: datetime, start: str
) -> tuple[list[Row], str]:
    """The changes to fire and the next cursor."""
    known = Cursor() if cursor is None else Cursor.read(cursor)
    rows = numbered(items)
    gone = known.gone(rows)
    watched = {number: note for number, note in known.waiting.items() if number not in gone}
    fired: list[Row] = []
    today = berlin_day(now)
    usual, pending = _days(inputs), max(_days(inputs), PENDING_DAYS)
    for number, row in rows.items():
        before = watched.pop(number, None)
        note = _note(row, before)
        if before is not None and note != before:
            fired += _changes(row, before, note)
        if is_young(row, pending if row.get("status") == "pending" else usual, today):
            watched[number] = note
    youngest = {number: watched[number] for number in sorted(watched)[-MOST_WATCHED:]}
    return fired, str(known.moved(rows.keys(), looks_cut(items), youngest))


def more(items: list[Row], inputs: dict[str, Any]) -> bool:
    """Whether the page may have been cut off."""
    return looks_cut(items)


def _days(inputs: dict[str, Any]) -> int:
    return int(inputs.get("days", USUAL_DAYS))


def _note(row: Row, before: str | None) -> str:
    """What to remember; a field that this page leaves out stays as it was."""
    status, duplicated = row.get("status"), row.get("duplicated")
    if isinstance(status, str) and status:
        note = _NOTES.get(status, f".{status}")
    else:
        note = "-" if before is None else before.removesuffix(DUPLICATE)
    if isinstance(duplicated, bool):
        return note + DUPLICATE * duplicated
    return note + DUPLICATE * (before is not None and before.endswith(DUPLICATE))


def _changes(row: Row, before: str, note: str) -> list[Row]:
    changes: list[tuple[str, str]] = []
    old, new = before.removesuffix(DUPLICATE), note.removesuffix(DUPLICATE)
    if old != new:
        status = _STATUSES.get(new, new[1:])
        changes.append(("posted" if status == "posted" else "status", status))
    if before.endswith(DUPLICATE) != note.endswith(DUPLICATE):
        changes.append(("duplicated", "true" if note.endswith(DUPLICATE) else "false"))
    return [{**row, "_id": f"{row['id']}:{change}:{value}", "_change": change} for change, value in changes]
