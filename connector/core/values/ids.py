"""Ids: strings that stay strings, and the integer comparison that makes some of them a cursor."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any

from connector.core.values.wire_type import Text

NAMELESS = "~"
"""Begins the keys that Kontor gives to writes whose caller gave none."""
SINCE = "since:"
"""Begins a start behind an id: `since:123`."""
MAX_DIGITS = 100
"""Far beyond any id, far below the length at which Python refuses to read an integer."""

_DIGITS = re.compile(r"[0-9]+")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_TOO_LONG = f"an id has at most {MAX_DIGITS} digits"
_BOUND = 10**MAX_DIGITS


def as_id(value: Any) -> str:
    """An id as text. A whole JSON number becomes its exact digits; anything that may have lost digits is refused."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"an id is text or a whole number, not {type(value).__name__}")
    if abs(value) >= _BOUND:
        raise ValueError(_TOO_LONG)
    return str(int(value))


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
        raise ValueError(_TOO_LONG)
    return int(id)


def newest(ids: Iterable[str]) -> str | None:
    """The id that was given out last, as it was written; None when there is none."""
    return max(ids, key=cursor_key, default=None)


def is_after(id: str, cursor: str | None) -> bool:
    """Whether an id lies strictly behind the cursor. Without a cursor, everything does."""
    return cursor is None or cursor_key(id) > cursor_key(cursor)


def is_uuid(text: str) -> bool:
    """Whether the text is a UUID in its usual notation with hyphens."""
    return _UUID.fullmatch(text) is not None


Id = Annotated[str, Text({"type": "string"}, whole_number=as_id)]
"""An id of the service."""

UuidText = Annotated[str, Text({"type": "string", "format": "uuid"}, whole_number=as_id)]
"""An id announced as a UUID. Reading does not insist on it, since an id is only ever handed back; `is_uuid` checks."""
