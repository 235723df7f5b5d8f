"""Poll strategies: what is new in a list, by a cursor. Pure; `docs/vocabulary.md` defines them.

Each says what it becomes on platforms that keep less: `stateless` (they remember only the ids of what has fired) and
`single` (they keep one id or one date); where it is False or None, only a host or a package with state can do it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from connector.core.polls.page import Members, Page, PageResult
    from connector.core.polls.progress import States


class Strategy(Protocol):
    """What every strategy offers."""

    @property
    def stateless(self) -> bool:
        """Whether `without_memory` gives a platform without a cursor what it needs."""

    @property
    def single(self) -> str | None:
        """The field of a row that a platform may keep instead of a cursor: `id`, or a date."""

    @property
    def reads_by_id(self) -> bool:
        """Whether it reads a list in the order of ids, page by page."""

    @property
    def reads_again(self) -> bool:
        """Whether every poll reads all rows again that it watches; otherwise only those that may have become news."""

    @property
    def members(self) -> Members | None:
        """What it reads of a row and adds to it, where an item is otherwise the row as it came; else None."""

    def asks(self, inputs: Mapping[str, Any], cursor: str | None, now: datetime, start: str) -> dict[str, Any]:
        """What is added to the inputs of this poll's request."""

    def turn(self, page: Page, cursor: str | None, inputs: Mapping[str, Any], now: datetime, start: str) -> PageResult:
        """What the page brings: items and the next cursor. Raises `ValueError` for a cursor that is not its own."""


def strategy(declared: Mapping[str, Any], states: Mapping[str, States]) -> Strategy | None:
    """The strategy that a manifest's `poll` declares; None where a module of its own does it."""
    from connector.core.polls.alarm import Alarm
    from connector.core.polls.by_id import ById
    from connector.core.polls.progress import Progress
    from connector.core.polls.seen import Seen
    from connector.core.polls.watch import Watch

    match declared:
        case {"by_id": arguments}:
            return ById(arguments)
        case {"progress": arguments}:
            return Progress(arguments, states[arguments["states"]])
        case {"watch": arguments}:
            return Watch(arguments)
        case {"seen": arguments}:
            return Seen(arguments)
        case {"alarm": arguments}:
            return Alarm(arguments)
        case _:
            return None
