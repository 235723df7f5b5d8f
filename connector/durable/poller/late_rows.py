"""Rows that show late, under ids that were already passed: the free count of the accounts list tells of them.

At the end of the list every row that the account counts should have been read. If some were not, they are looked for
once a day, from where the list ended one to two days ago; what was told before is not told again.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from connector.core.polls.cursor import Cursor
from connector.durable.poller.pages import RawPage
from connector.durable.poller.polled_cursor import PolledCursor
from connector.store.cursors import StoredCursor

BETWEEN_LOOKS = timedelta(days=1)
"""A look costs a credit."""


def is_due(stored: StoredCursor, now: datetime) -> bool:
    """Whether rows are known to be missing, and it is time to look for them."""
    late = _kept(stored)
    return bool(late.get("missing")) and _may_look(late, now)


def wants_look(cursor: PolledCursor, now: datetime) -> bool:
    """Whether a poll that has reached the end of the list looks for late rows now."""
    late = _kept(cursor.stored)
    counted = cursor.row_count is not None and cursor.row_count.misses_rows and not _reads_all(cursor)
    cursor.misses_rows = counted or bool(late.get("missing"))
    return cursor.misses_rows and "older" in late and _may_look(late, now)


def starting_point(cursor: PolledCursor) -> int:
    """Return the id behind which late rows are looked for."""
    return int(_kept(cursor.stored)["older"])


def record_look(cursor: PolledCursor, page: RawPage, now: datetime) -> None:
    """Record a look: if its page ended too early, the next one goes on there."""
    known = Cursor.read(cursor.position or "0").after
    reached = page.last_id
    ended_early = reached is not None and reached < known
    cursor.misses_rows = ended_early
    cursor.late_look = {"looked": now.isoformat(), **({"older": str(reached)} if ended_early else {})}


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
    elif not cursor.misses_rows and now - datetime.fromisoformat(late["at"]) >= BETWEEN_LOOKS:
        late = {**late, "older": late["newer"], "newer": after, "at": now.isoformat()}
    return {"late": {**late, **cursor.late_look, "missing": cursor.misses_rows}}


def _kept(stored: StoredCursor) -> dict[str, Any]:
    kept = stored.sign.get("late")
    return kept if isinstance(kept, dict) else {}


def _may_look(late: dict[str, Any], now: datetime) -> bool:
    looked = late.get("looked")
    return looked is None or not timedelta(0) <= now - datetime.fromisoformat(looked) < BETWEEN_LOOKS


def _reads_all(cursor: PolledCursor) -> bool:
    """Whether the trigger reads all rows that it watches at every poll, and so finds late ones by itself."""
    return cursor.trigger.poll is None or cursor.trigger.poll.reads_again
