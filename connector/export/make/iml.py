"""Writes Make's template expressions (IML) for the values of fields. Only what stands here is ever emitted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from connector.core.data.fields import Field
from connector.core.data.templates import ANYTHING
from connector.export.make.names import DEPENDENCY

INSTANT = "YYYY-MM-DDTHH:mm:ssZ"
ZONE = "Europe/Berlin"
NOTHING = "{{undefined}}"
"""Evaluates to no value at all: what Make does not send."""


def literal(value: Any) -> str:
    """A constant inside an expression."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    text = str(value)
    if "'" in text or "{{" in text or "}}" in text:
        raise ValueError(f"cannot stand in an expression: {text}")
    return f"'{text}'"


def whole(expression: str) -> str:
    """An expression as a value of its own, which keeps its type."""
    return "{{" + expression + "}}"


def either(expressions: Iterable[str]) -> str:
    """The first of these expressions that is not empty."""
    *first, made = expressions
    for one in reversed(first):
        made = f"ifempty({one}, {made})"
    return made


def condition(when: Mapping[str, Any] | Sequence[Mapping[str, Any]]) -> str:
    """Whether an item meets a declared condition."""
    if not isinstance(when, Mapping):
        return _joined(" || ", [condition(one) for one in when])
    return _joined(" && ", [_is(f"item.{path}", wanted) for path, wanted in when.items()])


def _is(found: str, wanted: Any) -> str:
    if wanted == ANYTHING:
        return found
    return _joined(" || ", [f"{found} == {literal(one)}" for one in (wanted if isinstance(wanted, list) else [wanted])])


def _joined(sign: str, expressions: list[str]) -> str:
    return f"({sign.join(expressions)})" if len(expressions) > 1 else expressions[0]


def given(field: Field, scope: str = "") -> str:
    """What was entered for a field, or its default; `scope` begins the parameter's name."""
    entered = f"parameters.{scope}{field.name}"
    return entered if field.default is None else f"ifempty({entered}, {literal(field.default)})"


def value(field: Field, scope: str = "") -> str:
    """A field as it is sent."""
    entered = given(field, scope)
    if field.type == "date-time":
        if field.required:
            return whole(f"formatDate({entered}, '{INSTANT}', '{ZONE}')")
        return if_given(entered, "formatDate({}, " + f"'{INSTANT}', '{ZONE}')", "now")
    if field.type == "object" and not field.fields:
        return if_given(entered, "toCollection({}, 'key', 'value')", "emptyarray")
    return whole(entered)


def if_given(entered: str, made: str, stand_in: str) -> str:
    """A function of what was entered, or nothing. The function never sees nothing, in whatever order Make works."""
    return whole(f"if({entered}, {made.format(f'ifempty({entered}, {stand_in})')}, undefined)")


def from_json(name: str) -> str:
    """A parameter that holds JSON, as a value."""
    return if_given(f"parameters.{name}", "parseJSON({})", literal("{}"))


def path(template: str, fields: tuple[Field, ...], scope: str = "") -> str:
    """A path with its inputs filled in, each encoded as one segment."""
    for field in fields:
        template = template.replace(f"{{{field.name}}}", whole(f"encodeURL({given(field, scope)})"))
    return template


def chosen(choice: Field, paths: dict[str, str], scope: str = "") -> str:
    """A path that an input chooses."""
    cases = ", ".join(f"{literal(case)}, {literal(path)}" for case, path in paths.items())
    return whole(f"switch({given(choice, scope)}, {cases})")


def dependency(name: str) -> str:
    """The name of a lookup's input as a parameter of its RPC."""
    return f"{DEPENDENCY}{name}"
