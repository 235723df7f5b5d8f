"""Ids: strings that stay strings, and the integer comparison that makes some of them a cursor."""

from __future__ import annotations

import re
from typing import Any

NAMELESS = "~"
"""Begins the keys that Kontor gives to writes whose caller gave none."""
SINCE = "since:"
"""Begins a start behind an id: `since:123`."""
MAX_DIGITS = 100
"""Far beyond any id, far below the length at which Python refuses to read an integer."""

_DIGITS = re.compile(r"[0-9]+")


def number_of(id: Any) -> int | None:
    """The integer by which an id is ordered; None when it is no numeric id, which cannot be a cursor."""
    if type(id) is str and id.isascii() and id.isdigit() and len(id) <= MAX_DIGITS:
        return int(id)
    return id if type(id) is int and id >= 0 else None


def cursor_key(id: str) -> int:
    """The integer by which a numeric id is ordered, of any size: never compare such ids as text or as floats."""
    if not _DIGITS.fullmatch(id):
        raise ValueError(f"a cursor id consists of digits: {id[:40]!r} does not")
    if len(id) > MAX_DIGITS:
        raise ValueError(f"an id has at most {MAX_DIGITS} digits")
    return int(id)
