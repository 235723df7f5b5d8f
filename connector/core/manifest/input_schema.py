"""The inputs of a manifest as JSON Schema, for faces that speak it: MCP tools and OpenAPI documents.

The schema tells a caller what to send; the runtime's own check (`core.manifest.inputs`) decides. So the schema is plain
rather than complete: one type per field, the field's help as its description, an example where there is one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from connector.core.data.fields import Field

FORMATS = {"uuid": "uuid", "email": "email", "public_https_url": "uri"}


def object_schema(fields: Iterable[Field], lang: str = "en") -> dict[str, Any]:
    """The schema of an object with these fields. What handlers fill in themselves is not shown."""
    shown = [field for field in fields if not field.internal]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {field.name: field_schema(field, lang) for field in shown},
        "additionalProperties": False,
    }
    required = [field.name for field in shown if field.required]
    return {**schema, "required": required} if required else schema


def field_schema(field: Field, lang: str = "en") -> dict[str, Any]:
    """The schema of one field, with its label and help."""
    schema = {**_kind(field, lang), "title": field.label.in_(lang), "description": field.help.in_(lang)}
    if field.default is not None:
        schema["default"] = field.default
    if field.example is not None:
        schema["examples"] = [field.example]
    return schema


def _kind(field: Field, lang: str) -> dict[str, Any]:
    match field.type:
        case "money" | "number":
            return {"type": "number", **_bounds(field)}
        case "integer":
            return {"type": "integer", **_bounds(field)}
        case "boolean":
            return {"type": "boolean"}
        case "date" | "date-time":
            return {"type": "string", "format": field.type}
        case "file":
            return {"type": "string", "contentEncoding": "base64"}
        case "list":
            least = {"minItems": 1} if field.presence == "required" else {}
            return {"type": "array", "items": object_schema(field.fields, lang), **least}
        case "object" if field.fields:
            return object_schema(field.fields, lang)
        case "object":
            return {"type": "object", "additionalProperties": True}
        case "enum" if not field.open:
            return {"type": "string", "enum": [choice.value for choice in field.values]}
        case _:
            return {"type": "string", **_text(field)}


def _bounds(field: Field) -> dict[str, Any]:
    bounds = {"minimum": field.min, "maximum": field.max}
    return {name: bound for name, bound in bounds.items() if bound is not None}


def _text(field: Field) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    if field.format in FORMATS:
        schema["format"] = FORMATS[field.format]
    if field.asked_pattern is not None:
        schema["pattern"] = field.asked_pattern
    if field.max_length:
        schema["maxLength"] = field.max_length
    return schema
