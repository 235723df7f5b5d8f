"""Rows of which only some members are decoded, and which are stored as they came.

Decoding and encoding every member of every row takes most of the time of a poll, and most triggers look at few of them.
What is skipped is still checked by the decoder, but for two things, which are checked here: that it is UTF-8, and that
no number is beyond what the exact decoder accepts. Where in doubt, nothing is decoded here, and the whole rows are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypedDict

import msgspec

from connector.core.polls.page import Members, Row
from connector.core.values import json

PIECE_ROWS = 64
"""Rows that are checked and decoded together: few enough to stay in the processor's cache."""
LONG_NUMBER, SAMPLED = 200, 20
"""As many digits or more may be beyond what is accepted; it is enough to look at every so manieth character."""
_NUMBER, _STRUCTURE = b"0123456789.+-", b"[]{}:, \t\r\n"
_DIGITS = bytes.maketrans(_NUMBER, b"0" * len(_NUMBER))
_SIMPLIFIED = bytes.maketrans(_STRUCTURE + b"E", b"," * len(_STRUCTURE) + b"e")


def decode(raws: Sequence[msgspec.Raw], members: Members) -> list[Row] | None:
    """Decode those members of each row; None where whole rows must be decoded."""
    rows: list[Row] = []
    for at in range(0, len(raws), PIECE_ROWS):
        piece = _decode_piece(joined(raws[at : at + PIECE_ROWS]), members)
        if piece is None:
            return None
        rows += piece
    return rows


def joined(raws: Iterable[msgspec.Raw]) -> bytes:
    """Return the rows as one JSON array."""
    return b"[" + b",".join(raws) + b"]"


def completed(items: Sequence[Row], rows: Mapping[int, msgspec.Raw], added: Sequence[str]) -> list[bytes]:
    """Return the whole items as JSON: each row as it came, by the number of its id, and what was added to it."""
    ends = json.encode_each([{name: item[name] for name in added} for item in items])
    wholes = [memoryview(rows[int(item["_id"])])[:-1] for item in items]
    return [b"".join((whole, b",", end[1:])) for whole, end in zip(wholes, ends, strict=True)]


def _decode_piece(array: bytes, members: Members) -> list[Row] | None:
    if json.may_nest_too_deep(array) or _may_hold_unusual_numbers(array):
        return None
    try:
        array.decode()
        rows: list[Row] = _decoder(members).decode(array)
    except (ValueError, msgspec.MsgspecError, RecursionError):
        return None
    return None if any(not row.keys().isdisjoint(members.added) for row in rows) else rows


def row_of(names: Iterable[str]) -> Any:
    """Return the type of a row of which only these members are decoded."""
    declared: Any = dict.fromkeys(names, Any)
    row: Any = TypedDict("row", declared, total=False)  # type: ignore[misc]
    return row


@lru_cache(maxsize=256)
def _decoder(members: Members) -> msgspec.json.Decoder[list[Row]]:
    row: Any = row_of((*members.read, *members.added))
    return json.exact_decoder(list[row])


def _may_hold_unusual_numbers(array: bytes) -> bool:
    """Whether something looks like a number with an exponent, or like a very long one."""
    if b"0" * (LONG_NUMBER // SAMPLED - 1) in array[::SAMPLED].translate(_DIGITS):
        return True
    return b",e," in array.translate(_SIMPLIFIED, _NUMBER)  # `12.5E+3,` without its digits
