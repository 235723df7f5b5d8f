"""Checks the inputs of a step against its manifest: compiled once, then fast for every call.

The fields become one pydantic-core validator that turns raw inputs into a plain dict of exact values: `Decimal`,
`date`, `datetime`, `bytes` for files. Whatever does not fit is an `InputError` that names the field.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from functools import partial
from typing import Any

from pydantic_core import CoreSchema, SchemaValidator, ValidationError, core_schema

from connector.errors import InputError
from connector.manifest.formats import FORMATS, Misfit, minor_units
from connector.manifest.model import Field
from connector.messages import Text, say
from connector.values import dates, json
from connector.values.money import as_money

MOST_CHARACTERS = 4000
MOST_ITEMS = 1000
MOST_FILE_BYTES = 20 * 1024 * 1024
INTEGER_BOUND = 2**53
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
NO_CONTROL = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
FAST, EXACT = "fast", "exact"
"""The two ways to check a text; they mark the problems that pydantic-core reports."""


class Inputs:
    """The compiled form of a manifest's inputs."""

    def __init__(self, fields: Iterable[Field]) -> None:
        self.fields = tuple(fields)
        self._validator = SchemaValidator(_object_schema(self.fields))
        self._amounts = list(_amounts(self.fields, ()))
        self.file_fields = {field.name for field in self.fields if any(one.type == "file" for one in _all([field]))}

    def clean(self, raw: Mapping[str, Any]) -> dict[str, Any]:
        """The inputs as exact values; absent ones are left out. Raises `InputError` for the first that does not fit."""
        if not isinstance(raw, Mapping):
            raise InputError(say("inputs_not_an_object"), field="inputs")
        try:
            inputs: dict[str, Any] = self._validator.validate_python(raw)
        except ValidationError as error:
            raise self._error(error) from None
        for path, field in self._amounts:
            _check_decimals(inputs, inputs, path, field, "")
        return inputs

    def _error(self, failed: ValidationError) -> InputError:
        problems: list[dict[str, Any]] = [
            {**problem, "loc": tuple(step for step in problem["loc"] if step != EXACT)}
            for problem in failed.errors(include_url=False, include_input=False)
            if problem["loc"][-1:] != (FAST,)
        ]
        first = problems[0]
        path, field = _path(first["loc"], self.fields)
        text, remedy = _explain(first, path, self.fields)
        line = next((step for step in first["loc"] if isinstance(step, int)), None)
        if line is not None:
            text = say("in_line", line=line + 1, text=text)
        if remedy is None and field is not None and field.required and first["type"] == "missing":
            remedy = Text(field.help.en, field.help.de)
        others = sorted({_path(problem["loc"], self.fields)[0] for problem in problems[1:]})
        return InputError(text, remedy=remedy, field=path, details={"also": others} if others else None)


def _object_schema(fields: Iterable[Field]) -> CoreSchema:
    schema = core_schema.typed_dict_schema(
        {field.name: _typed_field(field) for field in fields}, extra_behavior="forbid", strict=True
    )
    return core_schema.no_info_before_validator_function(_without_absent, schema)


def _without_absent(raw: Any) -> Any:
    """An empty string or null in a form means that nothing was entered."""
    if type(raw) is not dict and not isinstance(raw, Mapping):
        return raw
    for name in raw:
        if type(name) is not str:
            raise Misfit("name_not_text")
    for value in raw.values():
        if value is None or (type(value) is str and not value):
            return {
                name: value for name, value in raw.items() if value is not None and (value or type(value) is not str)
            }
    return raw


def _typed_field(field: Field) -> core_schema.TypedDictField:
    schema = _schema(field)
    if field.default is not None:
        schema = core_schema.with_default_schema(schema, default=field.default, validate_default=True)
    alias: Any = [[name] for name in (field.name, *field.aliases)] if field.aliases else None
    return core_schema.typed_dict_field(schema, required=field.required, validation_alias=alias)


def _schema(field: Field) -> CoreSchema:
    if field.type == "list":
        return core_schema.list_schema(
            _object_schema(field.fields),
            min_length=1 if field.presence == "required" else 0,
            max_length=MOST_ITEMS,
            strict=True,
        )
    if field.type == "object" and field.fields:
        return _object_schema(field.fields)
    exact = core_schema.no_info_plain_validator_function(_converter(field))
    if field.type == "string" and (field.format or "text") == "text":
        # Almost every text passes here, checked without a call into Python; what does not is looked at by `_text`.
        plain = core_schema.str_schema(
            strict=True,
            strip_whitespace=True,
            min_length=1,
            max_length=field.max_length or MOST_CHARACTERS,
            pattern=NO_CONTROL,
        )
        return core_schema.union_schema([(plain, FAST), (exact, EXACT)], mode="left_to_right")
    return exact


def _converter(field: Field) -> Callable[[Any], Any]:
    match field.type:
        case "money" | "number":
            return partial(_number, field)
        case "integer":
            return partial(_integer, field)
        case "boolean":
            return _boolean
        case "date":
            return _date
        case "date-time":
            return _date_time
        case "enum":
            return partial(_choice, field, frozenset(choice.value for choice in field.values))
        case "object":
            return _free_object
        case "file":
            return _file
        case _:
            return partial(_text, FORMATS[field.format or "text"], field.max_length or MOST_CHARACTERS)


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


def _number(field: Field, value: Any) -> Decimal:
    try:
        number = as_money(value)
    except ValueError:
        german = isinstance(value, str) and "," in value
        raise Misfit("german_number" if german else "not_a_number") from None
    _check_bounds(field, number)
    return number


def _integer(field: Field, value: Any) -> int:
    try:
        number = as_money(value)
    except ValueError:
        raise Misfit("not_an_integer") from None
    if number != int(number) or abs(number) >= INTEGER_BOUND:
        raise Misfit("not_an_integer")
    _check_bounds(field, number)
    return int(number)


def _check_bounds(field: Field, number: Decimal) -> None:
    if field.min is not None and number < Decimal(str(field.min)):
        raise Misfit("too_small", least=field.min)
    if field.max is not None and number > Decimal(str(field.max)):
        raise Misfit("too_large", most=field.max)


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.strip().lower() in {"true", "false"}:
        return value.strip().lower() == "true"
    raise Misfit("not_a_boolean")


def _date(value: Any) -> Any:
    try:
        return dates.day(value)
    except ValueError:
        raise Misfit("not_a_date") from None


def _date_time(value: Any) -> Any:
    try:
        return dates.instant(value)
    except ValueError:
        raise Misfit("not_a_date_time") from None


def _choice(field: Field, values: frozenset[str], value: Any) -> str:
    text = _text(FORMATS["text"], MOST_CHARACTERS, value)
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


def _all(fields: Iterable[Field]) -> Iterable[Field]:
    for field in fields:
        yield field
        yield from _all(field.fields)


def _amounts(fields: Iterable[Field], above: tuple[str, ...]) -> Iterable[tuple[tuple[str, ...], Field]]:
    for field in fields:
        if field.currency_field:
            yield (*above, field.name), field
        yield from _amounts(field.fields, (*above, field.name))


def _check_decimals(inputs: Mapping[str, Any], here: Any, path: tuple[str, ...], field: Field, shown: str) -> None:
    """Refuses an amount with more decimals than its currency has."""
    name, *rest = path
    value = here.get(name)
    shown = f"{shown}.{name}" if shown else name
    if rest:
        items = enumerate(value) if isinstance(value, list) else [(None, value)]
        for place, item in items:
            if item is not None:
                at = shown if place is None else f"{shown}[{place}]"
                _check_decimals(inputs, item, tuple(rest), field, at)
    elif value is not None:
        code = inputs.get(field.currency_field or "", "EUR")
        if -value.as_tuple().exponent > minor_units(code) < -value.normalize().as_tuple().exponent:
            text = say("too_many_decimals", amount=value, currency=code, decimals=minor_units(code))
            raise InputError(text, field=shown)


def _path(location: tuple[int | str, ...], fields: Iterable[Field]) -> tuple[str, Field | None]:
    """The place of a problem as people write it, and its field."""
    shown, field = "", None
    for step in location:
        if isinstance(step, int):
            shown += f"[{step}]"
            continue
        field = next((field for field in fields if step == field.name or step in field.aliases), None)
        name = field.name if field else step[:64]
        shown, fields = f"{shown}.{name}" if shown else name, field.fields if field else ()
    return shown or "inputs", field


def _explain(problem: Any, path: str, fields: tuple[Field, ...]) -> tuple[Text, Text | None]:
    """A sentence about one problem, and what to do where that is not obvious."""
    cause = problem.get("ctx", {}).get("error")
    if isinstance(cause, Misfit):
        return say(cause.name, **cause.values), None
    match problem["type"]:
        case "missing":
            return say("missing", field=path), None
        case "extra_forbidden":
            close = get_close_matches(path, [field.name for field in fields], n=1)
            return say("unknown_input", field=path), say("did_you_mean", close=close[0]) if close else None
        case "too_short":
            return say("list_empty", field=path), None
        case "too_long":
            return say("list_too_long", most=MOST_ITEMS), None
        case "list_type":
            return say("not_a_list"), None
        case _:
            return say("not_an_object"), None
