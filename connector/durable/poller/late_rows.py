"""Rows that show late, under ids that were already passed: the free count of the accounts list tells of them.

At the end of the list every row that the account counts should have been read. If some were not, they are looked for
once a day for two weeks, from where the list ended one to two days before; what was told before is not told again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from connector.core.polls.cursor import Cursor
from connector.durable.poller.pages import RawPage
from connector.durable.poller.polled_cursor import PolledCursor
from connector.store.cursors import StoredCursor

BETWEEN_LOOKS = timedelta(days=1)
"""A look costs a credit."""
GIVEN_UP_AFTER = timedelta(days=14)
"""A count may also be wrong."""

Notice = dict[str, Any]
"""How many `rows` are missing, `behind` and `until` which ids they are looked for, and since when (`at`)."""


def is_due(stored: StoredCursor, now: datetime) -> bool:
    """Whether rows are known to be missing, and it is time to look for them."""
    late = _kept(stored)
    return bool(_notices(late, now)) and _may_look(late, now)


def wants_look(cursor: PolledCursor, now: datetime) -> bool:
    """Whether a poll that has reached the end of the list looks for late rows now."""
    if _reads_all(cursor):
        return False
    late = _kept(cursor.stored)
    cursor.missing = _notices(late, now)
    rows = cursor.row_count.missing if cursor.row_count is not None else 0
    if rows and "older" in late:
        notice = {"rows": rows, "behind": late["older"], "until": str(cursor.place.after), "at": now.isoformat()}
        cursor.missing = _merged([*cursor.missing, notice])
    return bool(cursor.missing) and _may_look(late, now)


def starting_point(cursor: PolledCursor) -> int:
    """Return the id behind which late rows are looked for: where the last look stopped, or the lowest of all."""
    stopped_at = _kept(cursor.stored).get("stopped_at")
    return min(int(one["behind"]) for one in cursor.missing) if stopped_at is None else int(stopped_at)


def record_look(cursor: PolledCursor, page: RawPage, found: int, now: datetime) -> None:
    """Record a look and how many late rows it found; if its page ended too early, the next one goes on there."""
    until = max(int(one["until"]) for one in cursor.missing)
    reached = page.last_id
    ended_early = reached is not None and reached < until
    cursor.missing = _without(cursor.missing, found)
    cursor.late_look = {"looked": now.isoformat()}
    if ended_early and cursor.missing:
        cursor.late_look["stopped_at"] = str(max(reached or 0, starting_point(cursor)))


def as_sign(cursor: PolledCursor, now: datetime) -> dict[str, Any]:
    """Return what to store for the next poll: where the list ended one and two days ago, and what is missing."""
    if _reads_all(cursor) or cursor.position is None:
        return {}
    late = _kept(cursor.stored)
    if cursor.unfinished:  # what is missing shows only at the end of the list
        return {"late": late} if late else {}
    after = str(Cursor.read(cursor.position).after)
    if not late:
        late = {"older": after, "newer": after, "at": now.isoformat()}
    elif now - datetime.fromisoformat(late["at"]) >= BETWEEN_LOOKS:
        late = {**late, "older": late["newer"], "newer": after, "at": now.isoformat()}
    if cursor.late_look or not cursor.missing:
        late = {name: value for name, value in late.items() if name != "stopped_at"}
    return {"late": {**late, **cursor.late_look, "missing": cursor.missing}}


def _notices(late: dict[str, Any], now: datetime) -> list[Notice]:
    """Return what is missing and not given up. A time ahead of us was written by a wrong clock."""
    kept = late.get("missing")
    notices = [
        {**one, "at": min(datetime.fromisoformat(one["at"]), now).isoformat()}
        for one in (kept if isinstance(kept, list) else [])
    ]
    return [one for one in notices if now - datetime.fromisoformat(one["at"]) < GIVEN_UP_AFTER]


def _merged(notices: Sequence[Notice]) -> list[Notice]:
    """Return the notices with those in one that are looked for from the same place, of which there is one a day."""
    merged: dict[str, Notice] = {}
    for one in notices:
        before = merged.get(one["behind"], {"rows": 0})
        merged[one["behind"]] = {**one, "rows": before["rows"] + one["rows"]}
    return list(merged.values())


def _without(notices: Sequence[Notice], found: int) -> list[Notice]:
    """Return what is still missing after some rows were found; the oldest notice is settled first."""
    left = []
    for one in notices:
        settled = min(found, one["rows"])
        found -= settled
        if settled < one["rows"]:
            left.append({**one, "rows": one["rows"] - settled})
    return left


def _kept(stored: StoredCursor) -> dict[str, Any]:
    kept = stored.sign.get("late")
    return kept if isinstance(kept, dict) else {}


def _may_look(late: dict[str, Any], now: datetime) -> bool:
    looked = late.get("looked")
    return looked is None or not timedelta(0) <= now - datetime.fromisoformat(looked) < BETWEEN_LOOKS


def _reads_all(cursor: PolledCursor) -> bool:
    """Whether the trigger reads all rows that it watches at every poll, and so finds late ones by itself."""
    return cursor.trigger.poll is None or cursor.trigger.poll.reads_again
