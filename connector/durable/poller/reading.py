"""Which part of a list of bank rows is read next: rows that are read again, and the rows ahead.

Rows that are read again stand behind what is known, perhaps many pages apart. One call from the lowest of them may show
all the rest too. If it does not, the rows ahead come first, so that nothing new waits for what may never change.
"""

from __future__ import annotations

from collections.abc import Iterable


class Reading:
    """The ids that one poll still has to read, for all its cursors."""

    def __init__(self, ahead: int, again: Iterable[int]) -> None:
        self.ahead = ahead
        """The highest id up to which everything was read before."""
        self._known = ahead
        self.again = sorted(id for id in again if id <= ahead)
        self._is_first = True
        self._reached_end = False

    @property
    def behind(self) -> int | None:
        """The id behind which the next page begins; None when all was read."""
        if self.again and (self._is_first or self._reached_end):
            return max(self.again[0] - 1, 0)
        return None if self._reached_end else self.ahead

    def read_again(self, ids: Iterable[int]) -> None:
        """Add rows to read again, except those that this poll has read ahead."""
        self.again = sorted(id for id in {*self.again, *ids} if id <= self._known)

    def add_page(self, behind: int, last_id: int | None, *, cut: bool) -> None:
        """Record a page that began behind an id and ended with `last_id`; None when it was empty."""
        self._is_first = False
        if last_id is None or last_id <= behind:  # empty, or of a list that does not begin where it was told to
            cut, last_id = False, behind
        self.again = [id for id in self.again if id <= behind or (cut and id > last_id)]
        if not cut:
            self._reached_end = True
        elif last_id > self.ahead:
            self.ahead = last_id
