"""Rules about schemas: every property named and described, lists with items, choices that match their labels."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from connector.export.power_automate.lint.connector import Operation, PowerConnector, Schema, schemas
from connector.export.shape import Finding


def properties_are_described(connector: PowerConnector) -> Iterator[Finding]:
    """Every property has a title and a description that says more."""
    for operation, at, schema in _all(connector):
        for name, inner in (schema.get("properties") or {}).items():
            place = f"{at}/{name}"
            if not inner.get("title") or not inner.get("x-ms-summary"):
                yield Finding(operation.where, f"{place} has no title")
            if not inner.get("description"):
                yield Finding(operation.where, f"{place} has no description")
            elif inner["description"] == inner.get("title"):
                yield Finding(operation.where, f"the description of {place} repeats its title")


def lists_have_items(connector: PowerConnector) -> Iterator[Finding]:
    """A list says what it holds, and everything says its type."""
    for operation, at, schema in _all(connector):
        if schema.get("type") == "array" and not schema.get("items"):
            yield Finding(operation.where, f"{at or 'the schema'} is a list without items")
        if "type" not in schema and "$ref" not in schema:
            yield Finding(operation.where, f"{at or 'the schema'} has no type")
    for operation in connector.operations:
        for parameter in operation.parameters:
            if parameter.get("type") == "array" and not parameter.get("items"):
                yield Finding(operation.where, f"the parameter {parameter.get('name')} is a list without items")


def required_ones_exist(connector: PowerConnector) -> Iterator[Finding]:
    """Required properties exist; hidden ones have a default, unless the platform fills them in itself."""
    for operation, at, schema in _all(connector):
        properties = schema.get("properties") or {}
        for name in schema.get("required") or ():
            if name not in properties:
                yield Finding(operation.where, f"{at}/{name} is required and does not exist")
                continue
            inner = properties[name]
            filled = "default" in inner or inner.get("x-ms-notification-url")
            if inner.get("x-ms-visibility") == "internal" and not filled:
                yield Finding(operation.where, f"{at}/{name} is hidden and required without a default")


def choices_match(connector: PowerConnector) -> Iterator[Finding]:
    """The labels of a choice belong to its values, and its default is one of them."""
    for operation, at, schema in _all(connector):
        yield from _choice(operation, at, schema)
    for operation in connector.operations:
        for parameter in operation.parameters:
            yield from _choice(operation, str(parameter.get("name")), parameter)


def _choice(operation: Operation, at: str, schema: Schema) -> Iterator[Finding]:
    values = schema.get("enum")
    if "x-ms-enum-values" in schema:
        labelled = [one.get("value") for one in schema["x-ms-enum-values"]]
        if labelled != values:
            yield Finding(operation.where, f"the labels of {at} do not belong to its values")
    if values and "default" in schema and schema["default"] not in values:
        yield Finding(operation.where, f"the default of {at} is none of its values")


def _all(connector: PowerConnector) -> Iterator[tuple[Operation, str, Schema]]:
    for operation in connector.operations:
        roots: list[tuple[str, Any]] = [("body", operation.body)]
        roots += [(f"response {code}", one.get("schema")) for code, one in operation.tree.get("responses", {}).items()]
        roots.append(("notification", operation.item.get("x-ms-notification-content", {}).get("schema")))
        for at, root in roots:
            for place, schema in schemas(root, at):
                yield operation, place, schema


RULES = (properties_are_described, lists_have_items, required_ones_exist, choices_match)
