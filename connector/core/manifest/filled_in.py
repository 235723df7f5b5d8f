"""Tells what of a form was filled in, so that gaps of any form mean the same: nothing was entered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from connector.core.fields import Field
from connector.core.manifest.converters import json_text


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
