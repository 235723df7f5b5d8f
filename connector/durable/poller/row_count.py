"""Compares the rows that a cursor has read with the number in the free accounts list: while fewer, more follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from connector.durable.poller.pages import RawPage
from connector.store.cursors import StoredCursor


@dataclass(slots=True, eq=False)
class RowCount:
    """The rows read and expected by one cursor during one poll."""

    expected: int | None
    """The number of rows in the accounts list; if unknown, only an empty page is the end."""
    read: int
    """The number of rows read, by this poll and earlier ones."""
    last_id: int
    """The highest id read."""
    counted_before: bool = False
    """Whether an earlier poll has read to the end and counted."""

    @classmethod
    def before_poll(cls, stored: StoredCursor, expected: int | None) -> RowCount:
        """Return the counts before a poll. A cursor that was polled without counting counts as having read all rows."""
        read = 0 if stored.polled_at is None else expected or 0
        ended = "rows" in stored.sign and not stored.sign.get("unfinished")
        return cls(expected, int(stored.sign.get("rows", read)), int(stored.sign.get("last", -1)), ended)

    def add_page(self, page: RawPage, account_id: str | None) -> None:
        """Count the new rows of a page, of one account if given."""
        self.read += page.count_after(account_id, self.last_id)
        self.last_id = max(self.last_id, page.last_id or 0)

    @property
    def expects_more(self) -> bool:
        """Whether more rows exist than were read."""
        return self.expected is None or self.read < self.expected

    @property
    def falls_short(self) -> bool:
        """Whether more rows are known to exist than were read."""
        return self.expected is not None and self.counted_before and self.read < self.expected

    @property
    def missing(self) -> int:
        """How many rows exist, at the end of the list, and were not read: they show late, under lower ids."""
        return 0 if self.expected is None or not self.counted_before else max(self.expected - self.read, 0)

    def as_sign(self, *, finished: bool) -> dict[str, Any]:
        """Return the counts to store for the next poll.

        At the end of the list all expected rows count as read; those that were not are remembered as late.
        """
        if self.expected is None:
            return {}
        return {"rows": self.expected if finished else self.read, "last": str(self.last_id)}
