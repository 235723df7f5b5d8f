"""JSON without losses: numbers keep their digits both ways, and what is not JSON is a `ValueError`, never a crash.

Whole numbers are `int`, all others `Decimal`. When a key stands twice in one object, the last one counts, as in every
common reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal, DecimalException
from enum import Enum
from math import isfinite
from typing import Any, TypeVar
from uuid import UUID

import msgspec

MAX_DEPTH = 100
"""Levels of nesting. No answer of the service comes near it, and every later step may recurse without fear."""

MAX_EXPONENT = 308
"""Beyond it every reader that uses doubles would see infinity or zero."""

_TOO_DEEP = f"JSON is nested deeper than {MAX_DEPTH} levels"
_Read = TypeVar("_Read")


def _number(text: str) -> Decimal:
    number = Decimal(text)
    if -MAX_EXPONENT <= number.adjusted() <= MAX_EXPONENT:
        return number
    raise ValueError("a JSON number has an exponent beyond reason")


_OPENS_OBJECT = re.compile(rb"[ \t\r\n]*\{")
_VALUE = msgspec.json.Decoder(float_hook=_number)
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_ENCODER = msgspec.json.Encoder(decimal_format="number")


def decode(body: bytes | str) -> Any:
    """Read one JSON document exactly."""
    value = _reading(_VALUE.decode, body)
    if _may_be_deep(body):
        _check_depth(value)
    return value


def decode_items(body: bytes, under: Sequence[str] = ("data",)) -> Iterator[Any]:
    """Read the items of a list one by one, so that a long list never stands in memory as a whole.

    The list is the document itself, or stands in an object under the first of the keys that it has. An item that is
    not valid JSON is noticed when its turn comes.
    """
    for raw in _raw_items(body, under):
        yield decode(bytes(raw))


def _raw_items(body: bytes, under: Sequence[str]) -> list[msgspec.Raw]:
    array: bytes | msgspec.Raw = body
    if _OPENS_OBJECT.match(body):
        envelope = _reading(_OBJECT.decode, body)
        found = next((key for key in under if key in envelope), None)
        if found is None:
            raise ValueError(f"JSON carries no list under {' or '.join(under)}")
        array = envelope[found]
    return _reading(_ARRAY.decode, array)


def _reading(read: Callable[[Any], _Read], body: Any) -> _Read:
    try:
        return read(body)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except UnicodeDecodeError:
        raise ValueError("JSON is not valid UTF-8") from None
    except (msgspec.MsgspecError, DecimalException) as wrong:
        raise ValueError(f"not readable as JSON: {wrong}") from None


_OPENING = frozenset(b"[{")
_ALL_BUT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _may_be_deep(body: bytes | str) -> bool:
    """Whether its brackets, those inside of texts included, nest too deep: far cheaper than walking the value."""
    raw = body.encode() if isinstance(body, str) else body
    brackets = raw.translate(None, _ALL_BUT_BRACKETS)
    if len(brackets) <= MAX_DEPTH:
        return False
    depth = 0
    for bracket in brackets:
        depth += 1 if bracket in _OPENING else -1
        if depth > MAX_DEPTH:
            return True
    return False


def _check_depth(value: Any) -> None:
    level: list[Any] = [value] if isinstance(value, dict | list) else []
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return
    raise ValueError(_TOO_DEEP)


def encode(value: Any) -> bytes:
    """Write a value as JSON. Decimals become numbers to the digit; dates, date-times and UUIDs become text.

    Refused with `ValueError`: NaN and Infinity, a date-time without a zone, keys that are not text, whatever JSON does
    not know, and nesting without end.
    """
    _check_writable(value, 0)
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        raise ValueError("text contains half a character (a lone surrogate)") from None


def encode_clean(value: Any) -> bytes:
    """The same for what Kontor itself has read or checked: nothing is looked at twice. Bytes become base64."""
    return _ENCODER.encode(value)


_PLAIN = frozenset({str, int, bool, type(None)})


# Checked by hand before writing: the encoder writes a float NaN as null and a decimal NaN as a bare word. This is on
# the way of every call, so the usual kinds are passed by in the loops, without a call for each.
def _check_writable(value: Any, depth: int) -> None:
    kind = type(value)
    if kind is Decimal or isinstance(value, Decimal):
        if not value.is_finite() or not -MAX_EXPONENT <= value.adjusted() <= MAX_EXPONENT:
            raise ValueError(f"JSON cannot carry the number {value:.5}")
    elif isinstance(value, dict):
        _check_inside(value, depth)
        for key, inner in value.items():
            if type(key) is not str and not isinstance(key, str):
                raise ValueError(f"a JSON key is text, not {type(key).__name__}")
            if type(inner) not in _PLAIN:
                _check_writable(inner, depth + 1)
    elif isinstance(value, list | tuple):
        _check_inside(value, depth)
        for inner in value:
            if type(inner) not in _PLAIN:
                _check_writable(inner, depth + 1)
    elif isinstance(value, float):
        if not isfinite(value):
            raise ValueError(f"JSON cannot carry the number {value}")
    elif isinstance(value, datetime):
        if value.utcoffset() is None:
            raise ValueError("a date-time needs a zone before it is written")
    elif kind not in _PLAIN and not isinstance(value, str | int | date | UUID | Enum):
        raise ValueError(f"JSON does not know {kind.__name__}")


def _check_inside(value: Any, depth: int) -> None:
    if value and depth >= MAX_DEPTH:
        raise ValueError(_TOO_DEEP)
