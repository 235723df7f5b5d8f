"""Ids: kept as strings, compared as integers where they serve as a cursor."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Any

from connector.core.values.wire_type import Text

GENERATED_KEY_PREFIX = "~"
"""Prefix of the keys that Kontor generates for writes without a caller's key."""
SINCE_PREFIX = "since:"
"""Prefix of a start after an id: `since:123`."""
MAX_DIGITS = 100
"""More than any id has, and less than Python's limit for parsing an integer."""

_DIGITS = re.compile(r"[0-9]+")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_TOO_LONG = f"an id has at most {MAX_DIGITS} digits"
_BOUND = 10**MAX_DIGITS


def as_id(value: Any) -> str:
    """Return an id as text. An integer becomes its digits; a float, which may have lost digits, is refused."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"an id is text or a whole number, not {type(value).__name__}")
    if abs(value) >= _BOUND:
        raise ValueError(_TOO_LONG)
    return str(int(value))


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
        raise ValueError(_TOO_LONG)
    return int(id)


def newest(ids: Iterable[str]) -> str | None:
    """Return the highest id, as text; None when there is none."""
    return max(ids, key=cursor_key, default=None)


def is_after(id: str, cursor: str | None) -> bool:
    """Whether an id is higher than the cursor; always true without a cursor."""
    return cursor is None or cursor_key(id) > cursor_key(cursor)


def is_uuid(text: str) -> bool:
    """Whether the text is a UUID with hyphens."""
    return _UUID.fullmatch(text) is not None


Id = Annotated[str, Text({"type": "string"}, whole_number=as_id)]
"""An id of the service."""

UuidText = Annotated[str, Text({"type": "string", "format": "uuid"}, whole_number=as_id)]
"""An id that is described as a UUID. Its form is not checked on reading, since it is only sent back; see `is_uuid`."""
