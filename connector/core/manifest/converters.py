"""Turns one raw input into the exact value of its field's type, or says why it cannot be one.

Each converter takes what a form, a flow or a file may hold and returns a `Decimal`, a `date`, `bytes` and so on, or
raises `Problem` with the name of a message. Amounts and date-times also take what is known of the whole call.

Tells what of a form was filled in, so that gaps of any form mean the same: nothing was entered.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from dataclasses import field as with_default
from datetime import date, datetime
from decimal import Decimal
from functools import partial
from typing import Any, cast

from pydantic import PlainValidator, ValidationInfo

from connector.core import limits
from connector.core.data import localize
from connector.core.data.fields import Choice, Field
from connector.core.manifest.formats import Format
from connector.core.messages import Text, say
from connector.core.problems import Problem, reason_of
from connector.core.values import currencies, json
from connector.core.values.json_members import HoldsTooMuch
from connector.core.values.written_dates import read_day, read_instant
from connector.core.values.written_numbers import PERCENT, Misread, in_cents, read_number

INTEGER_BOUND = 2**53
USUAL_CURRENCY = "EUR"
EXAMPLES = (Decimal("1234.50"), Decimal(14))
"""Numbers that are shown where none was entered, unless they do not fit the field."""
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
TRUTH = {
    **dict.fromkeys(("true", "ja", "yes", "wahr", "1", "x"), True),
    **dict.fromkeys(("false", "nein", "no", "falsch", "0"), False),
}


Bounds = tuple[Decimal | None, Decimal | None]
NO_BOUNDS: Bounds = (None, None)


@dataclass(slots=True)
class Reading:
    """One reading of inputs: what they are, and what was noticed on the way."""

    raw: Mapping[str, Any]
    today: date | None = None
    """In Berlin; None for the machine's own."""
    warnings: list[Text] = with_default(default_factory=list)


def converter(field: Field, formats: Mapping[str, Format]) -> PlainValidator:
    """The converter of a field that has no named fields inside."""
    if field.type == "money":
        return PlainValidator(partial(_money, field, _bounds(field)))
    if field.type == "date":
        return PlainValidator(lambda value, info: read_day(value, info.context.today))
    if field.type == "date-time":
        return PlainValidator(partial(_date_time, field))
    return PlainValidator(_plain_converter(field, formats))


def _plain_converter(field: Field, formats: Mapping[str, Format]) -> Callable[[Any], Any]:
    match field.type:
        case "number":
            return partial(read_ratio, bounds=_bounds(field))
        case "integer":
            return partial(read_whole, bounds=_bounds(field))
        case "boolean":
            return read_flag
        case "enum":
            labels = {label.lower(): choice.value for choice in field.values for label in choice.label}
            return partial(_choice, field, formats["text"], frozenset(choice.value for choice in field.values), labels)
        case "object":
            return _free_object
        case "file":
            return _file
        case _:
            return partial(_text, formats[field.format or "text"], field.max_length or limits.MAX_CHARACTERS)


def _text(check: Callable[[str], str], longest: int, value: Any) -> str:
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        value = _digits(value)
    if not isinstance(value, str):
        raise Problem("not_text")
    value = value.strip()
    if not value:
        raise Problem("empty")
    if len(value) > longest:
        raise Problem("too_long", longest=longest, length=len(value))
    if CONTROL.search(value):
        raise Problem("control_characters")
    return check(value)


def _digits(value: float | Decimal) -> str:
    """A number where a text belongs: spreadsheets send account numbers so. Beyond the bound it has lost digits."""
    number = Decimal(value)
    if not number.is_finite() or number != number.to_integral_value():
        raise Problem("not_text")
    if abs(number) >= INTEGER_BOUND:
        raise Problem("id_lost_digits")
    return str(int(number))


def _money(field: Field, bounds: Bounds, value: Any, info: ValidationInfo) -> Decimal:
    code = _currency(field, cast("Reading", info.context))
    number, unit = measured(value, bounds, currencies.decimals(code) if field.currency_field else None)
    if unit and unit != code:
        raise Problem("number.other_currency", written=unit, currency=code)
    return _within(bounds, number)


def _currency(field: Field, reading: Reading) -> str:
    """The currency that an amount is in, as it was given."""
    given = reading.raw.get(field.currency_field or "")
    return (currencies.code_of(given.strip()) if isinstance(given, str) else None) or USUAL_CURRENCY


def measured(
    value: Any, bounds: Bounds = NO_BOUNDS, decimals: int | None = None, *, whole: bool = False
) -> tuple[Decimal, str]:
    """Return a number and its unit, or raise `Problem` that shows numbers which the field takes."""
    try:
        return read_number(value)
    except Misread as misread:
        shown = misread.shown(decimals, partial(_fits, bounds, whole))
        raise shown if shown.values else _no_number(bounds, decimals, whole) from None
    except Problem:
        raise _no_number(bounds, decimals, whole) from None


def _no_number(bounds: Bounds, decimals: int | None, whole: bool) -> Problem:
    examples = [example if decimals is None else in_cents(example, decimals) for example in EXAMPLES]
    known = (number for number in (*examples, *bounds) if number is not None and _fits(bounds, whole, number))
    return Problem("not_an_integer" if whole else "not_a_number", example=next(known, ""))


def _fits(bounds: Bounds, whole: bool, number: Decimal) -> bool:
    least, most = bounds
    within = (least is None or number >= least) and (most is None or number <= most)
    return within and (not whole or _is_whole(number))


def _is_whole(number: Decimal) -> bool:
    return number == number.to_integral_value() and abs(number) < INTEGER_BOUND


def read_ratio(value: Any, bounds: Bounds = NO_BOUNDS) -> Decimal:
    """Return a number, which may be written as a percentage, or raise `Problem`."""
    number, unit = measured(value, bounds)
    if unit not in ("", PERCENT):
        raise Problem("number.no_currency", written=unit)
    return _within(bounds, number)


def read_whole(value: Any, bounds: Bounds = NO_BOUNDS) -> int:
    """Return a whole number, or raise `Problem`."""
    number, unit = measured(value, bounds, whole=True)
    if unit or not _is_whole(number):
        raise _no_number(bounds, None, whole=True)
    return int(_within(bounds, number))


def _bounds(field: Field) -> Bounds:
    least, most = (None if bound is None else Decimal(str(bound)) for bound in (field.min, field.max))
    return NO_BOUNDS if least is most is None else (least, most)


def _within(bounds: Bounds, number: Decimal) -> Decimal:
    """The same number, within the field's bounds."""
    least, most = bounds
    if least is not None and number < least:
        raise Problem("too_small", least=least)
    if most is not None and number > most:
        raise Problem("too_large", most=most)
    return number


def read_flag(value: Any) -> bool:
    """Return whether something is so, or raise `Problem`."""
    if isinstance(value, str) and len(value) > limits.MAX_WRITTEN_CHARACTERS:
        raise Problem("not_a_boolean")
    flag = TRUTH.get(str(value).strip().lower())
    if flag is None:
        raise Problem("not_a_boolean")
    return flag


def _date_time(field: Field, value: Any, info: ValidationInfo) -> datetime:
    reading = cast("Reading", info.context)
    moment, warning = read_instant(value, reading.today)
    if warning:
        reading.warnings.append(
            say(warning, field=field.label, written=value, read=localize.in_both(localize.zoned, moment))
        )
    return moment


def _choice(field: Field, plain: Format, values: frozenset[str], labels: Mapping[str, str], value: Any) -> str:
    """A choice by its value, or by its label in either language."""
    text = _text(plain, limits.MAX_CHARACTERS, value)
    if text in values:
        return text
    if text.lower() in labels:
        return labels[text.lower()]
    if not field.open:
        raise Problem("not_a_choice", choices=Text(*map(_listed, [field.values] * 2, ("en", "de"))))
    return text


def _listed(choices: Iterable[Choice], lang: str) -> str:
    return ", ".join(f"{choice.value} ({choice.label.in_(lang)})" for choice in choices)


def _free_object(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise refusal_of(value, "not_an_object")
    try:
        json.encode(dict(value), inside=json.WRAPPED + 1)  # it is kept as one of the inputs, and read again
    except ValueError as error:
        raise Problem("not_json", why=reason_of(error)) from None
    return dict(value)


def json_text(text: str) -> Any:
    """The list or object that a text holds as JSON; any other text as it is, and one that is refused."""
    try:
        value = json.decode_unambiguous(text) if _may_be_json(text) else text
    except ValueError:
        return text
    return value


def _may_be_json(text: str) -> bool:
    return text.lstrip()[:1] in ("[", "{")


def refusal_of(value: Any, what: str) -> Problem:
    """Why a value is no list or object: the sentence `what`, unless it is a JSON text that is refused."""
    problem = json.problem_of(value) if isinstance(value, str) and _may_be_json(value) else None
    if isinstance(problem, json.GivenTwice):
        return Problem("given_twice", name=problem.name[:64])
    return Problem("json_text_refused", why=problem.text) if isinstance(problem, HoldsTooMuch) else Problem(what)


def _file(value: Any) -> bytes:
    if isinstance(value, str):
        text = value.partition(",")[2] if value.startswith("data:") else value
        try:
            value = base64.b64decode("".join(text.split()), validate=True)
        except (binascii.Error, ValueError):
            raise Problem("not_base64") from None
    if not isinstance(value, bytes | bytearray | memoryview) or not len(value):
        raise Problem("not_a_file")
    if len(value) > limits.MAX_FILE_BYTES:
        raise Problem("file_too_large", megabytes=limits.MAX_FILE_BYTES // limits.MEGABYTE)
    return bytes(value)


def filled_in(raw: Any, fields: Iterable[Field]) -> Any:
    """The inputs without what is blank, at every level that has named fields, and with JSON texts read.

    Blank are nulls, texts of blanks, objects in which nothing is filled in, and lists of such objects.
    """
    if not isinstance(raw, Mapping):
        return raw
    known = {name: field for field in fields for name in (field.name, *field.aliases)}
    filled = ((name, _filled_value(value, known.get(name))) for name, value in raw.items())
    return {name: value for name, value in filled if value is not None}


def _filled_value(value: Any, field: Field | None) -> Any:
    if isinstance(value, str) and not value.strip():
        return None
    if field is None or field.type not in ("object", "list"):
        return value
    if isinstance(value, str):
        value = json_text(value)
    if field.type == "list" and isinstance(value, Mapping):
        value = [value]
    if field.type == "list" and isinstance(value, list | tuple):
        lines = [filled_in(line, field.fields) for line in value]
        return [line for line in lines if line is not None and line != {}] or (None if value else [])
    return filled_in(value, field.fields) or None if field.fields and isinstance(value, Mapping) else value
