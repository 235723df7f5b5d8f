"""Exact JSON: numbers keep all digits when decoded and encoded, and invalid input always raises `Problem`.

Integers become `int`, all other numbers `Decimal`. Of a duplicate name in an object, the last one counts, unless
`decode_unambiguous` is asked.
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

from connector.core.limits import MAX_DEPTH
from connector.core.problems import Problem
from connector.core.values.json_members import MemberCount

WRAPPED = 10
"""Levels that may be written beyond those, so that whatever was read can be passed on inside something else."""

MAX_EXPONENT = 308
"""Beyond it, readers that use doubles would see infinity or zero."""

_Read = TypeVar("_Read")


def _exact_number(text: str) -> Decimal:
    number = Decimal(text)
    if -MAX_EXPONENT <= number.adjusted() <= MAX_EXPONENT:
        return number
    raise Problem("json_exponent")


_OPENS_OBJECT = re.compile(rb"[ \t\r\n]*\{")


def exact_decoder(type: Any = Any) -> msgspec.json.Decoder[Any]:
    """Return a decoder of a type that keeps all digits of numbers."""
    return msgspec.json.Decoder(type, float_hook=_exact_number)


_VALUE = exact_decoder()
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])
_ENCODER = msgspec.json.Encoder(decimal_format="number")


def decode(body: bytes | str) -> Any:
    """Decode one JSON document exactly."""
    value = _decode_with(_VALUE.decode, body)
    if may_nest_too_deep(body):
        _names_in(value)
    return value


class GivenTwice(ValueError):
    """An object has two members of one name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name!r} is given twice")
        self.name = name


def decode_unambiguous(body: bytes | str) -> Any:
    """Decode a document that somebody wrote; raise `GivenTwice` where an object has two members of one name.

    One that holds too much is refused before it is decoded.
    """
    count = MemberCount()
    count.add(body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body)
    value = _decode_with(_VALUE.decode, body)
    if _names_in(value) < count.names:  # of two members of one name, msgspec keeps the last
        _raise_given_twice(body)
    return value


def problem_of(body: bytes | str) -> Problem | GivenTwice | None:
    """Return why `decode_unambiguous` refuses a document; None where it does not."""
    try:
        decode_unambiguous(body)
    except (Problem, GivenTwice) as problem:
        return problem
    return None


def _raise_given_twice(body: bytes | str) -> None:
    from json import loads  # hardly anybody ever needs it

    loads(body, object_pairs_hook=_check_names, parse_int=str, parse_float=str)


def _check_names(members: list[tuple[str, Any]]) -> None:
    if len(dict(members)) < len(members):
        names = [name for name, _ in members]
        raise GivenTwice(next(name for place, name in enumerate(names) if name in names[:place]))


def decode_items(body: bytes, under: Sequence[str] = ("data",)) -> Iterator[Any]:
    """Decode the items of a list one by one, so that a long list is never held in memory as a whole.

    The list is the document itself, or the value of the first of the keys `under` that the document has. An invalid
    item raises when it is reached.
    """
    for raw in _raw_items(body, under):
        yield decode(bytes(raw))


def _raw_items(body: bytes, under: Sequence[str]) -> list[msgspec.Raw]:
    array: bytes | msgspec.Raw = body
    if _OPENS_OBJECT.match(body):
        envelope = _decode_with(_OBJECT.decode, body)
        key = next((key for key in under if key in envelope), None)
        if key is None:
            raise Problem("json_without_list")
        array = envelope[key]
    return _decode_with(_ARRAY.decode, array)


def _decode_with(read: Callable[[Any], _Read], body: Any) -> _Read:
    try:
        return read(body)
    except RecursionError:
        raise _too_deep() from None
    except UnicodeError:
        raise Problem("json_not_utf8") from None
    except (msgspec.MsgspecError, DecimalException) as wrong:
        raise _reason(wrong, body) from None


def _reason(wrong: Exception, body: Any) -> Problem:
    """Why a document cannot be read, with the place as people count it."""
    if isinstance(wrong.__cause__, Problem):  # of a number
        return wrong.__cause__
    place = _PLACE.search(str(wrong))
    if place:
        raw = body.encode() if isinstance(body, str) else bytes(body)
        before = raw[: int(place[1])].decode(errors="replace")
        return Problem("json_misplaced", line=before.count("\n") + 1, column=len(before) - before.rfind("\n"))
    if isinstance(wrong, msgspec.ValidationError):
        return Problem("json_digits" if "out of range" in str(wrong) else "json_without_list")
    return Problem("json_exponent" if isinstance(wrong, DecimalException) else "json_ends_early")


def _too_deep() -> Problem:
    return Problem("json_too_deep", most=MAX_DEPTH)


_PLACE = re.compile(r"\(byte ([0-9]+)\)")

_CHEAP_BRACKETS = 4096
_ALL_BUT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def may_nest_too_deep(body: bytes | str) -> bool:
    """Whether its brackets, including those inside strings, may nest too deep: much cheaper than walking the value."""
    raw = body.encode() if isinstance(body, str) else body
    brackets = raw.translate(None, _ALL_BUT_BRACKETS)
    levels = 0
    while levels + len(brackets) > MAX_DEPTH:
        outer = brackets.replace(b"{}", b"").replace(b"[]", b"")  # without the innermost level, or two
        if levels == MAX_DEPTH or len(outer) == len(brackets):
            return True
        if len(outer) > _CHEAP_BRACKETS and 2 * len(outer) > len(brackets):  # this would go on for long
            return True
        brackets, levels = outer, levels + 2
    return False


def _names_in(value: Any) -> int:
    """Return how many members the objects of a document have in all; raise when it nests too deep."""
    names = 0
    level: list[Any] = [value] if type(value) is dict or type(value) is list else []
    for _ in range(MAX_DEPTH):
        if not level:
            return names
        names += sum(len(value) for value in level if type(value) is dict)
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) is dict or type(inner) is list
        ]
    if level:
        raise _too_deep()
    return names


def encode(value: Any, inside: int = 0) -> bytes:
    """Encode a value as JSON. Decimals become numbers with all digits; dates, date-times and UUIDs become text.

    Raises `Problem` for NaN and Infinity, date-times without a zone, keys that are not text, types that JSON does
    not have, and too deep nesting; `inside` is how many levels will stand around the value.
    """
    _check_writable(value, inside)
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError:
        raise Problem("json_half_character") from None


def encode_clean(value: Any) -> bytes:
    """Encode a value that Kontor has decoded or validated, without checking it again. Bytes become base64."""
    return _ENCODER.encode(value)


def encode_lines(values: Sequence[Any]) -> bytes:
    """Encode such values, each on a line of its own."""
    return _ENCODER.encode_lines(values)


def encode_each(values: Sequence[Any]) -> list[bytes]:
    """Encode each of many such values."""
    return [_ENCODER.encode(value) for value in values]


_ALWAYS_WRITABLE = frozenset({str, int, bool, type(None)})


# Checked before encoding: the encoder writes a float NaN as null and a decimal NaN as a bare word. Every call runs
# this, so the common types are skipped inside the loops, without a function call for each.
def _check_writable(value: Any, depth: int) -> None:
    kind = type(value)
    if kind is Decimal or isinstance(value, Decimal):
        if not value.is_finite() or not -MAX_EXPONENT <= value.adjusted() <= MAX_EXPONENT:
            raise Problem("json_number", number=f"{value:.5}")
    elif isinstance(value, dict):
        _check_depth_of(value, depth)
        for key, inner in value.items():
            if type(key) is not str and not isinstance(key, str):
                raise Problem("json_name_not_text")
            if type(inner) not in _ALWAYS_WRITABLE:
                _check_writable(inner, depth + 1)
    elif isinstance(value, list | tuple):
        _check_depth_of(value, depth)
        for inner in value:
            if type(inner) not in _ALWAYS_WRITABLE:
                _check_writable(inner, depth + 1)
    elif isinstance(value, float):
        if not isfinite(value):
            raise Problem("json_number", number=Decimal(value))
    elif isinstance(value, datetime):
        if value.utcoffset() is None:
            raise Problem("json_no_zone")
    elif kind not in _ALWAYS_WRITABLE and not isinstance(value, str | int | date | UUID | Enum):
        raise Problem("json_type", type=kind.__name__)


def _check_depth_of(value: Any, depth: int) -> None:
    if value and depth >= MAX_DEPTH + WRAPPED:
        raise _too_deep()
