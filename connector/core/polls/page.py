"""A page of a list: its rows, and whether the list goes on behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from connector.core.errors import BadReply
from connector.core.messages import say
from connector.core.values.ids import SINCE_PREFIX, cursor_key, number_of

Row = dict[str, Any]

SMALLEST_PAGE = 20
ROUND_PAGE = 10
NUMBERS_AMONG = 100
"""If a list has ids that are numbers, one of so many first rows has."""


@dataclass(frozen=True, slots=True)
class Page:
    """The rows of one answer."""

    rows: list[Row]
    cut: bool = False
    """Whether there are more rows behind these."""
    behind: int | None = None
    """The id behind which it begins, where its reader decides that, and not the place in the cursor."""
    numbers: Sequence[int] | None = None
    """The ids of the rows in ascending order, where its reader knows them."""


class Members(NamedTuple):
    """The members of a row that a strategy reads, and those that it adds."""

    read: tuple[str, ...]
    added: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageResult:
    """What a strategy makes of a page: the items to fire, and the next cursor."""

    items: list[Row]
    cursor: str
    more: bool = False
    """Whether the page ended before rows that are known to be there."""
    fresh: bool = False
    """Whether it showed rows that were not seen before: only a page without any is surely the last."""


def may_be_cut(count: int) -> bool:
    """Whether a page of so many rows may have been cut off: a round number is the only sign in the page itself."""
    return count >= SMALLEST_PAGE and count % ROUND_PAGE == 0


def numbered(page: Page) -> dict[int, Row]:
    """The rows that have a numeric id, each once, in the order of their ids."""
    rows = page.rows
    if page.numbers is not None:
        return dict(zip(page.numbers, rows, strict=True))
    by_number: dict[int, Row] = {}
    for row in rows:
        number = number_of(row.get("id")) if isinstance(row, dict) else None
        if number is not None:
            by_number[number] = row
    if not by_number:
        _refuse_numberless(rows)
    ordered = sorted(by_number)
    return by_number if list(by_number) == ordered else {number: by_number[number] for number in ordered}


def _refuse_numberless(rows: list[Row]) -> None:
    """A list that is read by the numbers of its ids and has none is told, not passed over in silence."""
    if any(isinstance(row, dict) and row.get("id") is not None for row in islice(rows, NUMBERS_AMONG)):
        raise BadReply(say("ids_not_numbers"), reason="ids_not_numbers")


def first_id(start: str) -> int | None:
    """The id behind which a first poll begins to fire: 0 for `all`, the one named in `since:ID`, None for `now`."""
    if start == "now":
        return None
    if start == "all":
        return 0
    if start.startswith(SINCE_PREFIX):
        return cursor_key(start.removeprefix(SINCE_PREFIX))
    raise ValueError(f"a start is now, all or since:ID, not {start[:40]!r}")
