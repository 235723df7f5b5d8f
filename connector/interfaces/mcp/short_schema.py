"""The inputs of an action as a short JSON Schema: every tool's definition stands in the agent's context all the time.

What the runtime checks and explains anyway (patterns, lengths, bounds) and what a name says already is left out; the
whole manifest is a resource.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from connector.core.data.fields import Field
from connector.core.messages import say

MAX_HELP_CHARACTERS = 28


def short_object(fields: Iterable[Field], lang: str) -> dict[str, Any]:
    """Return the schema of an object with these fields."""
    shown = [field for field in fields if not field.internal]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {field.name: short_field(field, lang) for field in shown},
    }
    required = [field.name for field in shown if field.required]
    return {**schema, "required": required} if required else schema


def short_field(field: Field, lang: str) -> dict[str, Any]:
    """Return the schema of a field: its type, and in one line what it is."""
    if field.type == "list":
        schema: dict[str, Any] = {"type": "array", "items": short_object(field.fields, lang)}
    elif field.type == "object" and field.fields:
        schema = short_object(field.fields, lang)
    else:
        closed = field.type == "enum" and not field.open
        schema = {"enum": [choice.value for choice in field.values]} if closed else {"type": _type(field)}
    return {**schema, "description": _words(field, lang)}


def _type(field: Field) -> str:
    match field.type:
        case "money" | "number":
            return "number"
        case "integer" | "boolean" | "object":
            return field.type
        case _:
            return "string"


def _words(field: Field, lang: str) -> str:
    help = field.help.in_(lang)
    sentence = help.split(". ", 1)[0].removesuffix(".")
    words = sentence if len(sentence) <= MAX_HELP_CHARACTERS else field.label.in_(lang)
    if field.type in {"date", "date-time", "file"}:
        words = f"{words} ({'base64' if field.type == 'file' else field.type})"
    if field.lookup is None:
        return words
    return f"{words}. {say('mcp_lookup', id=field.lookup.id).in_(lang)}"
