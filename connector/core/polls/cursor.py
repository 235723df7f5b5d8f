"""How far a trigger has read a list that is ordered by id, and which rows behind that point it still waits for.

As text: `123` when all rows up to 123 are dealt with; `123~118,121` when the rows 118 and 121 may still become news;
`123~118=processing` when something is to be remembered of a row, `123~118:2` when a row was missing from two pages
that should have shown it. Four marks may follow:

- `@150`: the next poll reads on from 150, because the last page did not reach the end;
- `+2`: two polls in a row have read the waiting rows again and seen nothing else;
- `!`: history is still being passed over, because the flow wants to start now;
- `#…`: the ids seen in a window, see `window.py`.

Rows that are waited for are read again from the lowest one on. A page whose end nobody announces could then end before
the new rows, for ever: so reading goes on behind a page that ends early, and every few polls without news one looks
only beyond what is known.

With a window, a free list is read by the day since which every id is known, and every few polls without news by id,
beyond the highest one: what is new is decided by membership, not by position.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any
from urllib.parse import quote, unquote

from connector.core.data.templates import at
from connector.core.polls import window as windows
from connector.core.polls.page import Row, first_id
from connector.core.polls.window import Window, day_of
from connector.core.problems import Problem
from connector.core.values.ids import MAX_DIGITS

MOST_QUIET = 3
MAX_MISSED = 3
"""After so many pages that should have shown it, a row that is waited for is given up."""
_ID = rf"[0-9]{{1,{MAX_DIGITS}}}"
_NOTED = rf"{_ID}(?:=[A-Za-z0-9%._*-]+)?(?::[1-9])?"
_FORM = re.compile(
    rf"(?P<after>{_ID})(?:~(?P<waiting>{_NOTED}(?:,{_NOTED})*))?"
    rf"(?:@(?P<position>{_ID}))?(?:\+(?P<quiet>[0-9]))?(?P<skipping>!)?"
    rf"(?:#(?P<window>{windows.FORM}))?"
)


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a list ordered by id. It is never changed; `moved` gives the next one."""

    after: int = 0
    """The highest id seen."""
    waiting: Mapping[int, str] = field(default_factory=dict)
    """Ids at or below `after` that may still become news, each with a note."""
    position: int | None = None
    quiet: int = 0
    skipping: bool = False
    missed: Mapping[int, int] = field(default_factory=dict)
    """How many pages in a row should have shown a waiting id and did not."""
    window: Window | None = None

    @classmethod
    def read(cls, text: str) -> Cursor:
        """Reads the text; raises `ValueError` when it is none of ours."""
        match = _FORM.fullmatch(text)
        if match is None:
            raise Problem("cursor_foreign", text=text[:40])
        entries = [entry.partition(":") for entry in (match["waiting"] or "").split(",") if entry]
        pairs = [(noted.partition("="), missed) for noted, _, missed in entries]
        return cls(
            after=int(match["after"]),
            waiting={int(id): unquote(note) for (id, _, note), _ in pairs},
            position=int(match["position"]) if match["position"] else None,
            quiet=int(match["quiet"] or 0),
            skipping=match["skipping"] is not None,
            missed={int(id): int(missed) for (id, _, _), missed in pairs if missed},
            window=None if match["window"] is None else Window.read(match["window"]),
        )

    @staticmethod
    def is_skipping(text: str) -> bool:
        """Whether a cursor says that history is still being passed over."""
        return text.partition("#")[0].endswith("!")

    @classmethod
    def starting(cls, start: str) -> Cursor:
        """Before the first poll."""
        first = first_id(start)
        return cls(skipping=True) if first is None else cls(after=first)

    def __str__(self) -> str:
        text = str(self.after)
        if self.waiting:
            text += "~" + ",".join(_entry(id, self.waiting[id], self.missed.get(id)) for id in sorted(self.waiting))
        if self.position is not None:
            text += f"@{self.position}"
        text += (f"+{self.quiet}" if self.quiet else "") + ("!" if self.skipping else "")
        return text if self.window is None else f"{text}#{self.window}"

    @property
    def reads_from(self) -> int:
        """The id behind which the next page begins."""
        if self.position is not None:
            return self.position
        if self._whole_window is not None:
            return 0 if self._reads_by_day else self.after
        return max(min(self.waiting) - 1, 0) if self.waiting else self.after

    @property
    def _reads_by_day(self) -> bool:
        """Whether the next page is that of the days in the window, if it is whole."""
        return self.quiet < MOST_QUIET

    @property
    def _whole_window(self) -> Window | None:
        """The window, if it has days, and all rows that are waited for."""
        window = self.window
        return window if window is not None and window.days and self.waiting.keys() <= window.ids else None

    def asks(self, after: str, since: str | None) -> dict[str, Any]:
        """The inputs that say where a list is read on: an id, a day, or both."""
        window = self._whole_window
        if window is None or since is None or not self._reads_by_day:
            return {after: str(self.reads_from)}
        position = {} if self.position is None else {after: str(self.position)}
        return {**({since: date.fromisoformat(window.since)} if window.since else {}), **position}

    def is_new(self, number: int, row: Row, came: str | None) -> bool:
        """Whether a row was not seen before: inside the window by its id, otherwise by its position."""
        window = self.window
        if window is not None and came is not None and (day := day_of(at(row, came))) and day > window.since:
            return not window.has(number, day)
        return number > self.after

    def gone(self, shown: Collection[int], behind: int | None = None) -> set[int]:
        """The waiting ids that are given up: once more they were missing from a page that should have shown them."""
        return {id for id in self._absent(shown, behind) if self.missed.get(id, 0) + 1 >= MAX_MISSED}

    def _absent(self, shown: Collection[int], behind: int | None) -> set[int]:
        """The waiting ids that lie inside a page and are missing from it. An empty page proves nothing."""
        first, top = self.reads_from if behind is None else behind, max(shown, default=0)
        return {id for id in self.waiting if first < id <= top and id not in shown}

    def moved(
        self,
        rows: Mapping[int, Row],
        cut: bool,
        waiting: Mapping[int, str],
        behind: int | None = None,
        came: str | None = None,
    ) -> Cursor:
        """The cursor behind a page with these rows. It never goes back. A reader who decides where needs no place."""
        top = max(rows, default=0)
        after = max(self.after, top)
        window = self._window_after(rows, waiting, came)
        if behind is not None:
            position, quiet = None, 0
        elif (whole := self._whole_window) is not None:
            fresh = any(self.is_new(number, row, came) for number, row in rows.items())
            position, quiet = self._onward_in_window(whole, top, cut, fresh)
        else:
            position, quiet = self._onward(top, cut, waiting, after)
            if window is not None and window.days and top > self.after:
                position = position or top  # from here on the days would be read from their beginning
        absent = self._absent(rows, behind)
        missed = {id: self.missed.get(id, 0) + (id in absent) for id in waiting if id not in rows}
        skipping = self.skipping and cut and top > self.after
        return Cursor(after, waiting, position, quiet, skipping, missed, window)

    def goes_on(self, then: Cursor) -> bool:
        """Whether `then`, the cursor behind a page, must be read on at once: the page ended early."""
        return then.position is not None and self.quiet < MOST_QUIET

    def _window_after(self, rows: Mapping[int, Row], waiting: Mapping[int, str], came: str | None) -> Window | None:
        days = {} if came is None else {number: day for number, row in rows.items() if (day := day_of(at(row, came)))}
        if not days:
            return self.window
        # Behind a place that was reached without a window, only the days after these rows are known whole.
        window = self.window or Window(max(days.values()) if self.after else "")
        # A row that is given up and shows again is new.
        given_up = {id for id in self.waiting if id not in waiting and id not in rows}
        return window.with_rows(days, waiting, given_up)

    def _onward_in_window(self, window: Window, top: int, cut: bool, fresh: bool) -> tuple[int | None, int]:
        """Where to read on, and for how many polls nothing new was seen. Only a page without news may be the last."""
        if top > self.reads_from and (cut or fresh or top < max(window.ids)):
            return top, 0 if fresh and self._reads_by_day else self.quiet
        return None, 0 if fresh or not self._reads_by_day else self.quiet + 1

    def _onward(self, top: int, cut: bool, waiting: Mapping[int, str], after: int) -> tuple[int | None, int]:
        """Where to read on, and for how many polls nothing new was seen."""
        read_again = self.reads_from < self.after
        if not waiting or not top:
            return None, 0
        if cut or top < self.after:
            reached = max(top, self.reads_from)
            rest = min((id for id in waiting if id > reached), default=None)
            if rest is not None:
                return rest - 1, 0
            return (after if cut or read_again else None), 0
        if read_again and top == self.after:
            # Behind a page that ended early, another one that ends just here need not be the last.
            beyond = self.position is not None or self.quiet == MOST_QUIET
            return (self.after, 0) if beyond else (None, self.quiet + 1)
        return None, 0


def _entry(id: int, note: str, missed: int | None) -> str:
    text = f"{id}={quote(note, safe='*').replace('~', '%7E')}" if note else str(id)
    return f"{text}:{missed}" if missed else text
