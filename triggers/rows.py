"""Reads the rows of a list by the integer of their id, and says where a first poll starts."""

from __future__ import annotations

from typing import Any

from connector.core.values.ids import SINCE, cursor_key, number_of

Row = dict[str, Any]

SMALLEST_PAGE = 20
ROUND_PAGE = 10


def numbered(items: list[Row]) -> dict[int, Row]:
    """The rows that have a numeric id, each once, in the order of their ids."""
    found: dict[int, Row] = {}
    for item in items:
        number = number_of(item.get("id")) if isinstance(item, dict) else None
        if number is not None:
            found[number] = item
    ordered = sorted(found)
    return found if list(found) == ordered else {number: found[number] for number in ordered}


def looks_cut(items: list[Row]) -> bool:
    """Whether a page may have been cut off.

    The service does not show its page size. A round number of rows is the only sign in the page itself; the runtime
    also counts, and fills up a page that it knows to be cut off.
    """
    return len(items) >= SMALLEST_PAGE and len(items) % ROUND_PAGE == 0


def first_id(start: str) -> int | None:
    """The id behind which a first poll begins to fire: 0 for `all`, the one named in `since:ID`, None for `now`."""
    if start == "now":
        return None
    if start == "all":
        return 0
    if start.startswith(SINCE):
        return cursor_key(start.removeprefix(SINCE))
    raise ValueError(f"a start is now, all or since:ID, not {start[:40]!r}")
