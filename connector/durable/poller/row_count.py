"""Counts the rows that a cursor has read beside those that the free accounts list shows: fewer means there are more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from connector.durable.poller.pages import Page
from connector.store.cursors import StoredCursor


@dataclass(slots=True, eq=False)
class RowCount:
    """The rows of one cursor during one poll."""

    shown: int | None
    """So many rows the accounts list shows; when it shows no count, only an empty page is the end."""
    read: int
    """So many of them have been read, by this poll and those before."""
    last: int
    """The highest id among those."""

    @classmethod
    def of(cls, stored: StoredCursor, shown: int | None) -> RowCount:
        """How a cursor stands before a poll. One that was polled without counting is taken to have read everything."""
        read = 0 if stored.polled_at is None else shown or 0
        return cls(shown, int(stored.sign.get("rows", read)), int(stored.sign.get("last", -1)))

    def take(self, page: Page, account_id: str | None) -> None:
        """Counts the new rows of a page, of one account if one is named."""
        self.read += page.count(account_id, self.last)
        self.last = max(self.last, page.last or 0)

    @property
    def is_short(self) -> bool:
        """Whether there must be more rows than have been read."""
        return self.shown is None or self.read < self.shown

    def as_sign(self, *, finished: bool) -> dict[str, Any]:
        """What the next poll compares with. At the end of the list the count is right, whatever was read."""
        if self.shown is None:
            return {}
        return {"rows": self.shown if finished else self.read, "last": str(self.last)}
