"""Fills in a Zapier form with the inputs of a manifest: line items flat, each key named after its list."""

from __future__ import annotations

from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.model import Manifest

AGAIN = {"kontor_again": True}
"""Many tests send the same to one sandbox, and mean it."""


def form(manifest: Manifest, inputs: dict[str, Any]) -> dict[str, Any]:
    """What Zapier would hand over."""
    filled: dict[str, Any] = {}
    for field in manifest.inputs:
        if field.name in inputs:
            filled |= _filled(field, inputs[field.name], field.name)
    return filled


def _filled(field: Field, value: Any, key: str) -> dict[str, Any]:
    if field.type == "list" and isinstance(value, dict):  # one object where a list of one is meant
        value = [value]
    if field.type == "list" and isinstance(value, list):
        return {key: [_line(field, line) for line in value]}
    if field.type == "object" and field.fields and isinstance(value, dict):
        known = {one.name: one for one in field.fields}
        return {k: v for name, inner in value.items() for k, v in _filled(known[name], inner, f"{key}_{name}").items()}
    return {key: value}


def _line(field: Field, line: Any) -> Any:
    if not isinstance(line, dict):
        return line
    known = {one.name: one for one in field.fields}
    flat: dict[str, Any] = {}
    for name, value in line.items():
        key = f"{field.name}_{name}"
        if known[name].type == "list":  # of lines within a line, one can be entered
            flat |= {f"{key}_{inner}": text for inner, text in value[0].items()}
        else:
            flat |= _filled(known[name], value, key)
    return flat
