"""Fires when a field of a young row that was seen before changes.

Rows are watched while they are young, at most 5,000 at a time. A change needs two looks: whatever the start, the first
poll only takes note. What is remembered of a row is one short text per field, one behind the other: a declared short
form, else a dot and the value, `-` for none; a mark for a truth value that holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from connector.core.data.templates import condition
from connector.core.polls.cursor import Cursor
from connector.core.polls.days import Dates, berlin_day, is_young, newest_day
from connector.core.polls.page import Page, PageResult, Row, numbered

MAX_WATCHED = 5_000
NONE = "-"


class Watch:
    """The strategy `watch`."""

    stateless = False
    single = None
    reads_by_id = True
    reads_again = True
    members = None

    def __init__(self, declared: Mapping[str, Any]) -> None:
        self.after, self.since = str(declared["after"]), str(declared["since"])
        self._days = str(declared["days"])
        self._dates = Dates(declared["came"], declared["made"])
        longer = declared["longer"]
        self._is_longer, self._longer_days = condition(longer["when"]), int(longer["days"])
        self._change = str(declared["change"])
        fields: Mapping[str, Mapping[str, Any]] = declared["fields"]
        self._text, text = next((name, field) for name, field in fields.items() if "short" in field)
        self._flag, flag = next((name, field) for name, field in fields.items() if "mark" in field)
        self._short: Mapping[str, str] = text["short"]
        self._long = {short: value for value, short in self._short.items()}
        self._tell: Mapping[str, str] = text.get("tell", {})
        self._mark = str(flag["mark"])

    def asks(self, inputs: Mapping[str, Any], cursor: str | None, now: datetime, start: str) -> dict[str, Any]:
        """Read from the lowest watched row on, which finds late arrivals too; while nothing is known, by date."""
        known = Cursor() if cursor is None else Cursor.read(cursor)
        if known.after:
            return {self.after: str(known.reads_from)}
        return {self.since: berlin_day(now) - timedelta(days=int(inputs[self._days]))}

    def turn(self, page: Page, cursor: str | None, inputs: Mapping[str, Any], now: datetime, start: str) -> PageResult:
        """The changes to fire and the next cursor."""
        known = Cursor() if cursor is None else Cursor.read(cursor)
        rows = numbered(page)
        gone = known.gone(rows, page.behind)
        watched = {number: note for number, note in known.waiting.items() if number not in gone}
        fired: list[Row] = []
        newest, days = newest_day(rows.values(), now, self._dates), int(inputs[self._days])
        longer_days = max(days, self._longer_days)
        for number, row in rows.items():
            before = watched.pop(number, None)
            note = self._note(row, before)
            if before is not None and note != before:
                fired += self._changes(row, before, note)
            if is_young(row, longer_days if self._is_longer(row) else days, newest, self._dates):
                watched[number] = note
        youngest = {number: watched[number] for number in sorted(watched)[-MAX_WATCHED:]}
        then = known.moved(rows, page.cut, youngest, page.behind)
        return PageResult(fired, str(then), known.goes_on(then), max(rows, default=0) > known.after)

    def _note(self, row: Row, before: str | None) -> str:
        """What to remember; a field that this page leaves out stays as it was."""
        text, flag = row.get(self._text), row.get(self._flag)
        if isinstance(text, str) and text:
            note = self._short.get(text, f".{text}")
        else:
            note = NONE if before is None else before.removesuffix(self._mark)
        if isinstance(flag, bool):
            return note + self._mark * flag
        return note + self._mark * (before is not None and before.endswith(self._mark))

    def _changes(self, row: Row, before: str, note: str) -> list[Row]:
        changes: list[tuple[str, str]] = []
        old, new = before.removesuffix(self._mark), note.removesuffix(self._mark)
        if old != new:
            value = self._long.get(new, new[1:])
            changes.append((self._tell.get(value, self._text), value))
        if before.endswith(self._mark) != note.endswith(self._mark):
            changes.append((self._flag, "true" if note.endswith(self._mark) else "false"))
        return [{**row, "_id": f"{row['id']}:{change}:{value}", self._change: change} for change, value in changes]
