"""Turns one raw input into the exact value of its field's type, or says why it cannot be one.

Each converter takes what a form, a flow or a file may hold and returns a `Decimal`, a `date`, `bytes` and so on, or
raises `Misfit` with the name of a message.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Any

from connector.core.manifest.fields import Field
from connector.core.manifest.formats import Format, Misfit
from connector.core.values import dates, json
from connector.core.values.money import as_money

MOST_CHARACTERS = 4000
MOST_FILE_BYTES = 20 * 1024 * 1024
INTEGER_BOUND = 2**53
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def converter(field: Field, formats: Mapping[str, Format]) -> Callable[[Any], Any]:
    """The converter of a field that has no named fields inside."""
    match field.type:
        case "money" | "number":
            return _within(field, _number)
        case "integer":
            return _within(field, _integer)
        case "boolean":
            return _boolean
        case "date":
            return _date
        case "date-time":
            return _date_time
        case "enum":
            return partial(_choice, field, formats["text"], frozenset(choice.value for choice in field.values))
        case "object":
            return _free_object
        case "file":
            return _file
        case _:
            return partial(_text, formats[field.format or "text"], field.max_length or MOST_CHARACTERS)


def _text(check: Callable[[str], str], longest: int, value: Any) -> str:
    if type(value) is int:
        value = str(value) if abs(value) < 10**100 else ""  # spreadsheets send account numbers as numbers
    if not isinstance(value, str):
        raise Misfit("not_text")
    value = value.strip()
    if not value:
        raise Misfit("empty")
    if len(value) > longest:
        raise Misfit("too_long", longest=longest, length=len(value))
    if CONTROL.search(value):
        raise Misfit("control_characters")
    return check(value)


def _number(value: Any) -> Decimal:
    try:
        return as_money(value)
    except ValueError:
        german = isinstance(value, str) and "," in value
        raise Misfit("german_number" if german else "not_a_number") from None


def _integer(value: Any) -> int:
    try:
        number = as_money(value)
    except ValueError:
        raise Misfit("not_an_integer") from None
    if number != int(number) or abs(number) >= INTEGER_BOUND:
        raise Misfit("not_an_integer")
    return int(number)


def _within(field: Field, convert: Callable[[Any], Decimal | int]) -> Callable[[Any], Decimal | int]:
    """The same conversion within the field's bounds."""
    if field.min is None and field.max is None:
        return convert
    least = Decimal("-Infinity" if field.min is None else str(field.min))
    most = Decimal("Infinity" if field.max is None else str(field.max))

    def bounded(value: Any) -> Decimal | int:
        number = convert(value)
        if least <= number <= most:
            return number
        raise Misfit("too_small", least=field.min) if number < least else Misfit("too_large", most=field.max)

    return bounded


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in {"true", "false"}:
        return value.strip().lower() == "true"
    raise Misfit("not_a_boolean")


def _date(value: Any) -> date:
    try:
        return dates.day(value)
    except (ValueError, OverflowError):
        raise Misfit("not_a_date") from None


def _date_time(value: Any) -> Any:
    try:
        return dates.instant(value)
    except ValueError:
        raise Misfit("not_a_date_time") from None


def _choice(field: Field, plain: Format, values: frozenset[str], value: Any) -> str:
    text = _text(plain, MOST_CHARACTERS, value)
    if text not in values and not field.open:
        raise Misfit("not_a_choice", choices=", ".join(choice.value for choice in field.values))
    return text


def _free_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise Misfit("not_an_object")
    try:
        json.encode(dict(value))
    except ValueError as error:
        raise Misfit("not_json", why=error) from None
    return dict(value)


def _file(value: Any) -> bytes:
    if isinstance(value, str):
        text = value.partition(",")[2] if value.startswith("data:") else value
        try:
            value = base64.b64decode("".join(text.split()), validate=True)
        except (binascii.Error, ValueError):
            raise Misfit("not_base64") from None
    if not isinstance(value, bytes | bytearray | memoryview) or not len(value):
        raise Misfit("not_a_file")
    if len(value) > MOST_FILE_BYTES:
        raise Misfit("file_too_large", megabytes=MOST_FILE_BYTES // 1024**2)
    return bytes(value)
