"""Fills in a form of the Make app with the inputs of a manifest, as a person or an earlier step would."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from tests.export.interpreter.refusal import NotUnderstood


def fill(form: list[dict[str, Any]], inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The values that Make hands to the expressions. Raises when the form cannot take an input."""
    parameters = {parameter["name"]: parameter for parameter in flat(form)}
    strange = set(inputs) - set(parameters)
    if strange:
        raise NotUnderstood(f"the form has no {', '.join(sorted(strange))}")
    missing = [
        name
        for name, parameter in parameters.items()
        if parameter.get("required") and "default" not in parameter and name not in inputs
    ]
    if missing:
        raise NotUnderstood(f"the form insists on {', '.join(missing)}")
    return {name: _value(parameters[name], value) for name, value in inputs.items()}


def flat(form: Any) -> Iterator[dict[str, Any]]:
    """The parameters, also those that are shown once another one is chosen."""
    for parameter in form or ():
        yield parameter
        options = parameter.get("options")
        if isinstance(options, dict):
            yield from flat(options.get("nested"))


def _value(parameter: Mapping[str, Any], value: Any) -> Any:
    match parameter["type"]:
        case "text" | "select" | "url" | "password":
            return _checked(parameter, _text(value))
        case "number" | "integer" | "uinteger":
            return float(value)
        case "boolean":
            return bool(value)
        case "date":
            return datetime.fromisoformat(value)
        case "json":
            return json.dumps(value)
        case "collection":
            return _fields(parameter, value)
        case "array":
            if isinstance(value, Mapping):  # rows of names and values stand for a free-form object
                return [{"key": key, "value": inner} for key, inner in value.items()]
            return [_fields(parameter, row) for row in value]
        case other:
            raise NotUnderstood(f"a parameter of type {other}")


def _fields(parameter: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    spec = {field["name"]: field for field in parameter["spec"]}
    return {name: _value(spec[name], value) for name, value in row.items()}


def _text(value: Any) -> str:
    text = str(value)
    return text.partition(",")[2] if text.startswith("data:") else text  # a file, as base64


def _checked(parameter: Mapping[str, Any], text: str) -> str:
    pattern = parameter.get("validate", {}).get("pattern")
    if pattern and not re.search(pattern, text):
        raise NotUnderstood(f"{parameter['name']} refuses {text!r}")
    return text
