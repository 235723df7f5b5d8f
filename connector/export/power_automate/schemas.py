"""Turns inputs and outputs into Swagger schemas, every property with a title and a description."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.output_fields import OutputField
from connector.core.messages import Text, say

Schema = dict[str, Any]
TYPES: dict[str, Schema] = {
    "string": {"type": "string"},
    "enum": {"type": "string"},
    "number": {"type": "number"},
    "money": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "date-time": {"type": "string", "format": "date-time"},
    "file": {"type": "string", "format": "byte"},
}
OUTPUT_TYPES = {"text": "string", "number": "number", "integer": "integer", "boolean": "boolean"}
LONGEST_SUMMARY = 80


def named(schema: Schema, label: Text, help: Text, lang: str) -> Schema:
    """A schema with its title and description."""
    return {**schema, "title": label.in_(lang), "x-ms-summary": label.in_(lang), "description": help.in_(lang)}


def input_type(field: Field, lang: str) -> Schema:
    """The type of a plain input with what a form can check."""
    made = dict(TYPES[field.type])
    if field.values:
        made["enum"] = [choice.value for choice in field.values]
        made["x-ms-enum-values"] = [
            {"value": choice.value, "displayName": choice.label.in_(lang)} for choice in field.values
        ]
    if field.asked_pattern and made["type"] == "string":
        made["pattern"] = field.asked_pattern
    bounds = {"maxLength": field.max_length, "minimum": field.min, "maximum": field.max}
    made |= {name: bound for name, bound in bounds.items() if bound is not None}
    if field.default is not None:
        made["default"] = field.default
    return made


def input_schema(field: Field, lang: str) -> Schema:
    """An input as a property of a body."""
    if field.type == "list":
        made: Schema = {"type": "array", "items": input_object(field.fields, lang)}
        if field.presence == "required":
            made["minItems"] = 1
    elif field.type == "object":
        made = input_object(field.fields, lang) if field.fields else {"type": "object"}
    else:
        made = input_type(field, lang)
    help = Text(*(" ".join(text.split()) for text in field.help))
    return {**named(made, field.label, help, lang), **visibility(field)}


def input_object(fields: Iterable[Field], lang: str) -> Schema:
    """Inputs as an object, under their own names."""
    fields = tuple(fields)
    made: Schema = {"type": "object", "properties": {field.name: input_schema(field, lang) for field in fields}}
    required = [field.name for field in fields if must_be_given(field)]
    return {**made, "required": required} if required else made


def must_be_given(field: Field) -> bool:
    """Whether a form insists on it. One with a default is always sent, as the runtime does."""
    return field.required or field.default is not None


def visibility(field: Field) -> Schema:
    """How prominently a form shows it."""
    shown = {"required": "important", "advanced": "advanced"}.get(field.presence)
    if field.presence == "advanced" and field.default is not None:
        return {"x-ms-visibility": "advanced"}
    return {"x-ms-visibility": shown} if shown else {}


def output_object(fields: Iterable[OutputField], lang: str) -> Schema:
    """The fields of an answer."""
    return {"type": "object", "properties": {field.name: _output(field, lang) for field in fields}}


def _output(field: OutputField, lang: str) -> Schema:
    if field.kind == "object":
        made = output_object(field.fields, lang) if field.fields else {"type": "object"}
    elif field.kind == "list":
        made = {"type": "array", "items": _items(field, lang)}
    else:
        made = {"type": OUTPUT_TYPES[field.kind]}
        if field.format in ("date", "date-time"):
            made["format"] = field.format
    label = field.label.in_(lang)
    parts = [say("power_as_given", label=label, name=field.name).in_(lang)]
    if field.known:
        parts.append(say("power_known", values=", ".join(field.known)).in_(lang))
    if field.nullable:
        parts.append(say("power_may_be_empty").in_(lang))
    return {**made, "title": label, "x-ms-summary": label, "description": " ".join(parts)}


def _items(field: OutputField, lang: str) -> Schema:
    if field.fields:
        return output_object(field.fields, lang)
    return {"type": OUTPUT_TYPES.get(field.of, "object")}
