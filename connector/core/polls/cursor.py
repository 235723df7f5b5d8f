"""How far a trigger has read a list that is ordered by id, and which rows behind that point it still waits for.

As text: `123` when all rows up to 123 are dealt with; `123~118,121` when the rows 118 and 121 may still become news;
`123~118=processing` when something is to be remembered of a row. Three marks may follow:

- `@150`: the next poll reads on from 150, because the last page did not reach the end;
- `+2`: two polls in a row have read the waiting rows again and seen nothing else;
- `!`: history is still being passed over, because the flow wants to start now.

Rows that are waited for are read again from the lowest one on. A page whose end nobody announces could then end before
the new rows, for ever: so reading goes on behind a page that ends early, and every few polls without news one looks
only beyond what is known.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, unquote

from connector.core.polls.page import first_id
from connector.core.reasons import Reason
from connector.core.values.ids import MAX_DIGITS

MOST_QUIET = 3
_ID = rf"[0-9]{{1,{MAX_DIGITS}}}"
_NOTED = rf"{_ID}(?:=[A-Za-z0-9%._*-]+)?"
_FORM = re.compile(
    rf"(?P<after>{_ID})(?:~(?P<waiting>{_NOTED}(?:,{_NOTED})*))?"
    rf"(?:@(?P<position>{_ID}))?(?:\+(?P<quiet>[0-9]))?(?P<skipping>!)?"
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

    @classmethod
    def read(cls, text: str) -> Cursor:
        """Reads the text; raises `ValueError` when it is none of ours."""
        found = _FORM.fullmatch(text)
        if found is None:
            raise Reason("cursor_foreign", text=text[:40])
        pairs = (entry.partition("=") for entry in (found["waiting"] or "").split(",") if entry)
        return cls(
            after=int(found["after"]),
            waiting={int(id): unquote(note) for id, _, note in pairs},
            position=int(found["position"]) if found["position"] else None,
            quiet=int(found["quiet"] or 0),
            skipping=found["skipping"] is not None,
        )

    @classmethod
    def starting(cls, start: str) -> Cursor:
        """Before the first poll."""
        first = first_id(start)
        return cls(skipping=True) if first is None else cls(after=first)

    def __str__(self) -> str:
        text = str(self.after)
        if self.waiting:
            text += "~" + ",".join(_entry(id, self.waiting[id]) for id in sorted(self.waiting))
        if self.position is not None:
            text += f"@{self.position}"
        return text + (f"+{self.quiet}" if self.quiet else "") + ("!" if self.skipping else "")

    @property
    def reads_from(self) -> int:
        """The id behind which the next page begins."""
        if self.position is not None:
            return self.position
        return max(min(self.waiting) - 1, 0) if self.waiting else self.after

    def gone(self, shown: Collection[int], behind: int | None = None) -> set[int]:
        """The waiting ids that lie inside a page and are missing from it. An empty page proves nothing."""
        first, top = self.reads_from if behind is None else behind, max(shown, default=0)
        return {id for id in self.waiting if first < id <= top and id not in shown}

    def moved(self, shown: Collection[int], cut: bool, waiting: Mapping[int, str], behind: int | None = None) -> Cursor:
        """The cursor behind a page with these ids. It never goes back. A reader who decides where needs no place."""
        top = max(shown, default=0)
        after = max(self.after, top)
        position, quiet = self._onward(top, cut, waiting, after) if behind is None else (None, 0)
        return Cursor(after, waiting, position, quiet, self.skipping and cut and top > self.after)

    def goes_on(self, then: Cursor) -> bool:
        """Whether `then`, the cursor behind a page, must be read on at once: the page ended early."""
        return then.position is not None and self.quiet < MOST_QUIET

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


def _entry(id: int, note: str) -> str:
    return f"{id}={quote(note, safe='*').replace('~', '%7E')}" if note else str(id)
