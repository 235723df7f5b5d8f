"""Fires every row once, in the order of ids.

Only the id decides what is new: inside the declared window by membership, otherwise by position. Rows that wait fire
when they no longer meet the condition under the same id; a row that waits is given up when several pages no longer show
it, or when the service's newest row is the declared number of days younger.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from connector.core.data.templates import condition, members_of
from connector.core.polls.cursor import Cursor
from connector.core.polls.days import Dates, age_in_days, arrived_late, newest_day
from connector.core.polls.page import Members, Page, PageResult, Row, numbered
from connector.core.values.ids import SINCE_PREFIX


class ById:
    """The strategy `by_id`."""

    stateless = True
    single = "id"
    reads_by_id = True
    reads_again = False

    def __init__(self, declared: Mapping[str, Any]) -> None:
        self.after = str(declared["after"])
        wait, skip, late = declared.get("wait"), declared.get("skip"), declared.get("late")
        self.wait, self.skip = wait, skip
        self.look_back = declared.get("look_back")
        recent = declared.get("recent", {})
        self.came, self.since = recent.get("came"), recent.get("since")
        self.arrival: str | None = next((option["came"] for option in (wait, late) if option), None)
        """The field that says when a row came in, where no window needs it."""
        self._waits = condition(wait["when"]) if wait else None
        self._waits_unless = wait.get("unless") if wait else None
        self._wait_days = int(wait["days"]) if wait else 0
        self._wait_dates = Dates(wait["came"], wait["made"]) if wait else None
        self._skips = condition(skip["when"]) if skip else None
        self._skips_unless = skip.get("unless") if skip else None
        self._late = (str(late["as"]), int(late["days"]), Dates(late["came"], late["made"])) if late else None
        dated = [option[name] for option in (wait, late) if option for name in ("came", "made")]
        conditions = [member for option in (wait, skip) if option for member in members_of(option["when"])]
        added = ["_id", *([self._late[0]] if self._late else [])]
        self.members = Members(("id", *sorted({*dated, *conditions})), tuple(added))

    def asks(self, inputs: Mapping[str, Any], cursor: str | None, now: datetime, start: str) -> dict[str, Any]:
        """Read on behind the last id; while rows wait, from the lowest of them."""
        return position(self.after, self.since, cursor, start)

    def turn(self, page: Page, cursor: str | None, inputs: Mapping[str, Any], now: datetime, start: str) -> PageResult:
        """The rows to fire and the next cursor."""
        known = Cursor.starting(start) if cursor is None else Cursor.read(cursor)
        rows = numbered(page)
        gone = known.gone(rows, page.behind)
        waiting = {number: "" for number in known.waiting if number not in gone}
        waits = None if self._waits_unless and inputs.get(self._waits_unless) else self._waits
        skips = None if self._skips_unless and inputs.get(self._skips_unless) else self._skips
        fired: list[Row] = []
        newest: date | None = None
        after, waited, by_position, fresh = known.after, known.waiting, known.window is None, False
        for number, row in rows.items():
            waited_for = number in waited
            if not waited_for and (number <= after if by_position else not known.is_new(number, row, self.came)):
                continue
            fresh = fresh or not waited_for
            if waits is not None and waits(row):
                if newest is None:
                    newest = newest_day(rows.values(), now, self._wait_dates or Dates("", ""))
                if self._is_worth_waiting(row, newest):
                    waiting[number] = ""
                else:
                    waiting.pop(number, None)
                continue
            if waited_for:
                del waiting[number]
            elif known.skipping:
                continue
            if skips is None or not skips(row):
                fired.append(self._item(row))
        then = known.moved(rows, page.cut, waiting, page.behind, self.came)
        return PageResult(fired, str(then), known.goes_on(then), fresh)

    def without_memory(self, rows: list[Row], inputs: Mapping[str, Any], now: datetime) -> list[Row]:
        """What a platform without a cursor shows: all that would have fired, newest first."""
        return self.turn(Page(rows), None, inputs, now, "all").items[::-1]

    def _item(self, row: Row) -> Row:
        if self._late is None:
            return {**row, "_id": str(row["id"])}
        name, days, dates = self._late
        return {**row, "_id": str(row["id"]), name: arrived_late(row, days, dates)}

    def _is_worth_waiting(self, row: Row, newest: date) -> bool:
        age = age_in_days(row, newest, self._wait_dates) if self._wait_dates else None
        return age is None or age <= self._wait_days


def position(after: str, since: str | None, cursor: str | None, start: str) -> dict[str, Any]:
    """The inputs that say where a list is read on: from the cursor, else from the id of the start."""
    if cursor is not None:
        return Cursor.read(cursor).asks(after, since)
    return {after: start.removeprefix(SINCE_PREFIX)} if start.startswith(SINCE_PREFIX) else {}
