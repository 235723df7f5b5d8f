"""Checks the inputs of a step against its manifest: compiled once, then fast for every call.

The fields become one type that pydantic compiles: it turns raw inputs into a plain dict of exact values: `Decimal`,
`date`, `datetime`, `bytes` for files. Whatever does not fit is an `InputError` that names the field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, NotRequired

import pydantic
from pydantic import AfterValidator, AliasChoices, ConfigDict, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from connector.core import limits
from connector.core.data import localize
from connector.core.data.fields import Field
from connector.core.data.templates import all_at, each
from connector.core.errors import MOST_REPORTED, InputError
from connector.core.manifest.converters import (
    USUAL_CURRENCY,
    Reading,
    converter,
    filled_in,
    refusal_of,
)
from connector.core.manifest.formats import Format
from connector.core.messages import Text, say, template
from connector.core.problems import Problem
from connector.core.rules import Rules
from connector.core.values import currencies

Formats = Mapping[str, Format]
NO_LIST_OR_OBJECT = {"list_type": "not_a_list", "dict_type": "not_an_object"}


class Inputs:
    """The compiled form of a manifest's inputs."""

    def __init__(self, fields: Iterable[Field], rules: Rules, formats: Mapping[str, Format]) -> None:
        self.fields = tuple(fields)
        self._rules = rules
        self._type: TypeAdapter[dict[str, Any]] = TypeAdapter(_object_type(self.fields, formats))
        self._amounts = list(_amounts(self.fields, ""))
        self.file_fields = {
            field.name for field in self.fields if any(member.type == "file" for member in _all([field]))
        }

    def clean(
        self, raw: Mapping[str, Any], warnings: list[Text] | None = None, today: date | None = None
    ) -> dict[str, Any]:
        """The inputs as exact values; absent ones are left out. Raises `InputError` for the first that does not fit.

        What was read but looks unintended is added to `warnings`. `today` is Berlin's, the machine's if not given.
        """
        if not isinstance(raw, Mapping):
            raise InputError(say("inputs_not_an_object"), field="inputs", reason="inputs_not_an_object")
        if len(raw) > limits.MAX_ITEMS:  # before they are looked at one by one, which would hold up other callers
            raise _too_many()
        reading = Reading(raw, today)
        try:
            inputs: dict[str, Any] = self._type.validate_python(raw, context=reading)
        except ValidationError as error:
            if error.error_count() > limits.MAX_PROBLEMS:
                raise _too_many() from None
            reading = Reading(filled_in(raw, self.fields), today)
            inputs = self._clean_filled(reading)
        if warnings is not None:
            warnings += reading.warnings
        for path, field in self._amounts:  # before what is derived: nobody entered that
            _check_decimals(inputs, path, field)
        inputs = self._rules.derive(inputs)
        for field in self.fields:
            if field.needed and field.name not in inputs:
                raise _missing(field)
        return inputs

    def _clean_filled(self, reading: Reading) -> dict[str, Any]:
        try:
            inputs: dict[str, Any] = self._type.validate_python(reading.raw, context=reading)
        except ValidationError as error:
            raise self._error(error) from None
        return inputs

    def problems(self, raw: Mapping[str, Any]) -> tuple[InputError, ...]:
        """Everything that does not fit, field by field, for a form that shows all at once; empty when all fits."""
        reading = Reading(filled_in(raw, self.fields))
        try:
            self._type.validate_python(reading.raw, context=reading)
        except ValidationError as error:
            if error.error_count() > limits.MAX_PROBLEMS:
                return (_too_many(),)
            return tuple({problem.field: problem for problem in map(self._refusal, reversed(_listed(error)))}.values())[
                ::-1
            ]
        try:
            self.clean(raw)
        except InputError as error:
            return (error,)
        return ()

    def _error(self, failed: ValidationError) -> InputError:
        first, *others = map(self._refusal, _listed(failed)[: MOST_REPORTED + 1])
        return first.with_others(others)

    def _refusal(self, problem: Mapping[str, Any]) -> InputError:
        """One problem in words."""
        path, field = _path(problem["loc"], self.fields)
        reason, values = _reason(problem, field.label if field else path)
        text = say(reason, **localize.blanks(values))
        remedy: Text | None = None
        line = next((step for step in problem["loc"] if isinstance(step, int)), None)
        if line is not None:
            text = say("in_line", line=line + 1, text=text)
        if field is not None and "{field}" not in template(reason).en:
            text = say("in_field", label=field.label, text=text)
        if reason == "missing" and field is not None:
            remedy = Text(field.help.en, field.help.de)
        elif reason == "unknown_input":
            remedy = _meant(path, self.fields)
        return InputError(text, remedy=remedy, field=path, reason=reason)


def _listed(failed: ValidationError) -> list[dict[str, Any]]:
    return [{**problem, "loc": _location(problem)} for problem in failed.errors(include_url=False)]


def _too_many() -> InputError:
    return InputError(say("too_many_inputs", most=limits.MAX_ITEMS), field="inputs", reason="too_many_inputs")


def _missing(field: Field) -> InputError:
    """An input that a rule could have derived, and none has."""
    text = say("missing", field=field.label)
    return InputError(text, remedy=Text(field.help.en, field.help.de), field=field.name, reason="missing")


def _object_type(fields: Iterable[Field], formats: Formats) -> Any:
    """A dict with these keys and no others."""
    members = {field.name: _member(field, formats) for field in fields}
    typed_dict: Any = TypedDict
    inputs_type = typed_dict("Inputs", members)
    inputs_type.__pydantic_config__ = ConfigDict(extra="forbid", strict=True)
    return inputs_type


def _member(field: Field, formats: Formats) -> Any:
    names = AliasChoices(field.name, *field.aliases) if field.aliases else None
    default = {} if field.default is None else {"default": field.default, "validate_default": True}
    member_type: Any = Annotated[_type(field, formats), pydantic.Field(validation_alias=names, **default)]
    return member_type if field.required else NotRequired[member_type]


def _type(field: Field, formats: Formats) -> Any:
    if field.type == "list":
        least = 1 if field.presence == "required" else 0
        length = pydantic.Field(min_length=least, max_length=limits.MAX_ITEMS)
        return Annotated[list[_entry_type(field, formats)], length]  # type: ignore[misc]
    return _entry_type(field, formats) if field.fields else Annotated[Any, converter(field, formats)]


def _entry_type(field: Field, formats: Formats) -> Any:
    """An object inside a field; in it something is filled in."""
    entry = _object_type(field.fields, formats)
    return entry if any(member.required for member in field.fields) else Annotated[entry, AfterValidator(_not_empty)]


def _not_empty(entry: dict[str, Any]) -> dict[str, Any]:
    if not entry:
        raise Problem("empty")
    return entry


def _all(fields: Iterable[Field]) -> Iterable[Field]:
    for field in fields:
        yield field
        yield from _all(field.fields)


def _amounts(fields: Iterable[Field], above: str) -> Iterator[tuple[str, Field]]:
    """The fields of amounts with their paths (`lines[].amount`)."""
    for field in fields:
        if field.currency_field:
            yield f"{above}{field.name}", field
        yield from _amounts(field.fields, f"{above}{field.name}{'[].' if field.type == 'list' else '.'}")


def _check_decimals(inputs: Mapping[str, Any], path: str, field: Field) -> None:
    """Refuses an amount with more decimals than its currency has."""
    code = inputs.get(field.currency_field or "", USUAL_CURRENCY)
    decimals = currencies.decimals(code)
    if all(map(_unit(decimals).same_quantum, all_at(inputs, path))):  # to the cent, as amounts mostly are
        return
    for shown, amount in each(inputs, path):
        if -amount.normalize().as_tuple().exponent > decimals:
            values = localize.blanks({"amount": amount, "currency": code, "decimals": decimals})
            text = say("in_field", label=field.label, text=say("too_many_decimals", **values))
            raise InputError(text, field=shown, reason="too_many_decimals")


@cache
def _unit(decimals: int) -> Decimal:
    return Decimal(1).scaleb(-decimals)


def _location(problem: Any) -> tuple[int | str, ...]:
    """Where a problem is; a name that is no text cannot be shown, so that is where its object is."""
    location: tuple[int | str, ...] = problem["loc"]
    return location[:-1] if problem["type"] == "invalid_key" else location


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


def _reason(problem: Any, field: Text | str) -> tuple[str, Mapping[str, Any]]:
    """The sentence about one problem, by name, and what fills its blanks; people know a field by its label."""
    cause = problem.get("ctx", {}).get("error")
    if problem["type"] in NO_LIST_OR_OBJECT:
        cause = refusal_of(problem["input"], NO_LIST_OR_OBJECT[problem["type"]])
    if isinstance(cause, Problem):
        return cause.name, {"field": field, **cause.values}
    match problem["type"]:
        case "missing":
            return "missing", {"field": field}
        case "extra_forbidden":
            return "unknown_input", {"field": field}
        case "invalid_key":
            return "name_not_text", {}
        case "too_short":
            return "list_empty", {"field": field}
        case "too_long":
            return "list_too_long", {"most": limits.MAX_ITEMS}
        case _:
            return "not_an_object", {}


def _meant(path: str, fields: tuple[Field, ...]) -> Text | None:
    close = get_close_matches(path, [field.name for field in fields], n=1)
    return say("did_you_mean", close=close[0]) if close else None
