"""Whether a value fits the resource that the manifests declare for it."""

from __future__ import annotations

from functools import cache
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

from connector import Connector
from connector.core.manifest.resource_schema import fields_of, resource_schema

LIBRARY = Connector("unused").library
RESOURCES = LIBRARY.resources


def misfits(resource: str, value: Any) -> list[str]:
    """Every place at which the value does not fit, and why; one of free form always fits."""
    if resource not in RESOURCES:
        return []
    return [f"{error.json_path}: {error.message}" for error in _checker(resource).iter_errors(value)]


def known_values(resource: str, field: str) -> tuple[str, ...]:
    """The values described for a field; empty when any text is."""
    return fields_of(resource, RESOURCES)[field].known


@cache
def _checker(resource: str) -> Draft202012Validator:
    return Draft202012Validator(resource_schema(resource, RESOURCES), format_checker=FormatChecker())
