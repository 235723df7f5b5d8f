"""Fills in a body as Power Automate's form does: with its defaults, its types, and no field that it does not know."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tests.export.interpreter.refusal import NotUnderstood


def object_of(schema: Mapping[str, Any], given: Mapping[str, Any], where: str) -> dict[str, Any]:
    """A body with the form's defaults; what the form does not know is refused."""
    properties = schema.get("properties")
    if properties is None:
        return dict(given)
    if set(given) - set(properties):
        raise NotUnderstood(f"{where} takes no {set(given) - set(properties)}")
    made = {}
    for name, inner in properties.items():
        if name in given:
            made[name] = _filled(inner, given[name], f"{where}.{name}")
        elif "default" in inner:
            made[name] = inner["default"]
        elif name in schema.get("required", ()):
            raise NotUnderstood(f"{where} insists on {name}")
    return made


def _filled(schema: Mapping[str, Any], value: Any, where: str) -> Any:
    if schema["type"] == "object":
        return object_of(schema, value, where)
    if schema["type"] == "array":
        return [_filled(schema["items"], one, where) for one in value]
    if schema["type"] == "number":
        return Decimal(str(value))
    if schema["type"] == "string":
        text = str(value).partition(",")[2] if str(value).startswith("data:") else str(value)
        if "pattern" in schema and not re.search(schema["pattern"], text):
            raise NotUnderstood(f"{where} refuses {text}")
        return text
    return value
