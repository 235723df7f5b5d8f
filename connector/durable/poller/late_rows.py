"""Rows that are counted and were not shown: the free count of the accounts list tells of them.

At the end of the list every row that the account counts should have been read. If some were not, that is told at once,
and they are looked for: at once from where the list ended one to two days before, then from the beginning of the list,
and so by turns after 1, 2, 4, 8 and so on further checks; at once again when more are missing. What was told before is
not told again. From the beginning, only rows that came after the last count that was right are new, by the service's
own dates: ids may have begun anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from connector.core.errors import KontorError
from connector.core.messages import say
from connector.core.polls.cursor import Cursor
from connector.core.polls.page import Row
from connector.core.values.dates import instant
from connector.durable.poller.pages import Chunk, RawPage
from connector.durable.poller.polled_cursor import PolledCursor
from connector.store.triggers.cursors import StoredCursor

ROTATION = timedelta(days=1)
"""How often the place where the list ended is remembered."""
MAX_CHECKS = 12
"""A count may also be wrong: after so many looks, about two weeks of checks, nothing more is looked for."""

Notice = dict[str, Any]
"""How many `rows` are missing, and `behind` and `until` which ids they are looked for."""


def is_due(stored: StoredCursor) -> bool:
    """Whether rows are known to be missing, and it is time to look for them."""
    late = _stored_late(stored)
    return bool(_notices(late)) and _may_check(late)


def missing_error(stored: StoredCursor) -> KontorError | None:
    """Return what to tell of rows that are known to be missing."""
    return _error(_notices(_stored_late(stored)))


def error_of(cursor: PolledCursor) -> KontorError | None:
    """Return what to tell of rows that are missing after a poll."""
    return _error(cursor.missing)


def after_check(stored: StoredCursor) -> dict[str, Any] | None:
    """Return the change signals to store after a check that paid for nothing, while rows are missing."""
    late = _stored_late(stored)
    if not _notices(late):
        return None
    return {**stored.sign, "late": {**late, "checks": int(late.get("checks", 0)) + 1}}


def wants_late_check(cursor: PolledCursor, now: datetime) -> bool:
    """Whether a poll that has reached the end of the list looks for late rows now: at once if more are missing."""
    if _reads_all(cursor):
        return False
    late = _stored_late(cursor.stored)
    cursor.missing = _notices(late)
    rows = cursor.row_count.missing if cursor.row_count is not None else 0
    if not rows or "older" not in late:
        return bool(cursor.missing) and _may_check(late)
    cursor.missing = _merged(
        [*cursor.missing, {"rows": rows, "behind": late["older"], "until": str(cursor.place.after)}]
    )
    cursor.more_missing = True
    return True


def is_wide(cursor: PolledCursor) -> bool:
    """Whether the list is read from its beginning: every other look, while rows are not found where late ones are."""
    late = _stored_late(cursor.stored)
    return "stopped_at" not in late and int(late.get("looks", 0)) % 2 == 1 and "newest" in late


def starting_point(cursor: PolledCursor) -> int:
    """Return the id behind which late rows are looked for: where the last look stopped, or the lowest of all."""
    if is_wide(cursor):
        return 0
    stopped_at = _stored_late(cursor.stored).get("stopped_at")
    return min(int(notice["behind"]) for notice in cursor.missing) if stopped_at is None else int(stopped_at)


def only_newer(cursor: PolledCursor, chunk: Chunk) -> Chunk:
    """Return the rows of a chunk that came after the last count that was right."""
    newest, field, page = instant(_stored_late(cursor.stored)["newest"]), cursor.came, chunk.page
    numbers = page.numbers if page.numbers is not None else ()
    newer = [(number, row) for number, row in zip(numbers, page.rows, strict=True) if _came_after(row, field, newest)]
    return replace(chunk, page=replace(page, rows=[row for _, row in newer], numbers=[number for number, _ in newer]))


def record_late_check(cursor: PolledCursor, page: RawPage, late_count: int) -> None:
    """Record a look and how many late rows it found; if its page ended too early, the next one goes on there."""
    until = max(int(notice["until"]) for notice in cursor.missing)
    reached = page.last_id
    ended_early = reached is not None and reached < until and not is_wide(cursor)
    cursor.missing = _without(cursor.missing, late_count)
    looks = int(_stored_late(cursor.stored).get("looks", 0))
    if cursor.more_missing:
        looks %= 2  # the waits begin anew, and it is still the other look's turn
    cursor.late_check = {"looks": looks + 1, "found": late_count}
    if ended_early and cursor.missing:
        cursor.late_check["stopped_at"] = str(max(reached or 0, starting_point(cursor)))
    elif looks + 1 >= MAX_CHECKS:
        cursor.missing = []


def as_sign(cursor: PolledCursor, now: datetime) -> dict[str, Any]:
    """Return what to store for the next poll: where the list ended one and two days ago, and what is missing."""
    if _reads_all(cursor) or cursor.position is None:
        return {}
    late = _stored_late(cursor.stored)
    if cursor.unfinished:  # what is missing shows only at the end of the list
        return {"late": late} if late else {}
    after = str(Cursor.read(cursor.position).after)
    if not late:
        late = {"older": after, "newer": after, "at": now.isoformat()}
    elif now - datetime.fromisoformat(late["at"]) >= ROTATION and not cursor.late_check.get("found"):
        # Rows that are found behind the end show that the highest id says nothing: then the place stays.
        late = {**late, "older": late["newer"], "newer": after, "at": now.isoformat()}
    ends = {name: late[name] for name in ("older", "newer", "at", "newest") if name in late}
    if not cursor.missing:
        newest = max(filter(None, (cursor.newest_came, ends.get("newest"))), default=None)
        return {"late": {**ends, **({"newest": newest} if newest else {}), "missing": []}}
    looked = {name: late[name] for name in ("looks", "stopped_at") if name in late}
    waited = (
        {"looks": cursor.late_check["looks"], "checks": 0}
        if cursor.late_check
        else {"checks": late.get("checks", 0) + 1}
    )
    going_on = {name: cursor.late_check[name] for name in ("stopped_at",) if name in cursor.late_check}
    return {"late": {**ends, **({} if cursor.late_check else looked), **waited, **going_on, "missing": cursor.missing}}


def _error(notices: Sequence[Notice]) -> KontorError | None:
    rows = sum(int(notice["rows"]) for notice in notices)
    if not rows:
        return None
    return KontorError(say("rows_missing", rows=rows), remedy=say("rows_missing_remedy"), outcome="not_sent")


def _came_after(row: Row, field: str | None, newest: datetime) -> bool:
    try:
        return field is not None and instant(row.get(field)) > newest
    except ValueError:
        return False


def _notices(late: dict[str, Any]) -> list[Notice]:
    """Return what is missing and not given up."""
    missing = late.get("missing")
    return list(missing) if isinstance(missing, list) else []


def _merged(notices: Sequence[Notice]) -> list[Notice]:
    """Return the notices with those in one that are looked for from the same place, of which there is one a day."""
    merged: dict[str, Notice] = {}
    for notice in notices:
        before = merged.get(notice["behind"], {"rows": 0})
        merged[notice["behind"]] = {**notice, "rows": before["rows"] + notice["rows"]}
    return list(merged.values())


def _without(notices: Sequence[Notice], late_count: int) -> list[Notice]:
    """Return what is still missing after some rows were found; the oldest notice is settled first."""
    left = []
    for notice in notices:
        settled = min(late_count, notice["rows"])
        late_count -= settled
        if settled < notice["rows"]:
            left.append({**notice, "rows": notice["rows"] - settled})
    return left


def _stored_late(stored: StoredCursor) -> dict[str, Any]:
    late = stored.sign.get("late")
    return late if isinstance(late, dict) else {}


def _may_check(late: dict[str, Any]) -> bool:
    """Whether enough checks have passed since the last look; one that stopped early goes on at the next check."""
    looks = int(late.get("looks", 0))
    return "stopped_at" in late or not looks or int(late.get("checks", 0)) + 1 >= 2 ** (looks - 1)


def _reads_all(cursor: PolledCursor) -> bool:
    """Whether the trigger reads all rows that it watches at every poll, and so finds late ones by itself."""
    return cursor.trigger.poll is None or cursor.trigger.poll.reads_again
