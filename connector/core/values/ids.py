"""Ids: kept as strings, compared as integers where they serve as a cursor."""

from __future__ import annotations

import re
from typing import Any

SINCE_PREFIX = "since:"
"""Prefix of a start after an id: `since:123`."""
MAX_DIGITS = 100
"""More than any id has, and less than Python's limit for parsing an integer."""

_DIGITS = re.compile(r"[0-9]+")


def number_of(id: Any) -> int | None:
    """Return the integer by which an id is ordered; None when it is not numeric and so cannot be a cursor."""
    if type(id) is str and id.isascii() and id.isdigit() and len(id) <= MAX_DIGITS:
        return int(id)
    return id if type(id) is int and id >= 0 else None


def cursor_key(id: str) -> int:
    """Return a numeric id as an integer of any size: such ids must not be compared as text or as floats."""
    if not _DIGITS.fullmatch(id):
        raise ValueError(f"a cursor id consists of digits: {id[:40]!r} does not")
    if len(id) > MAX_DIGITS:
        raise ValueError(f"an id has at most {MAX_DIGITS} digits")
    return int(id)
