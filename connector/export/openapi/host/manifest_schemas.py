"""JSON Schemas of what manifests give, by their resource, and examples of what they take."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import Any

from connector.core.manifest.fields import Field
from connector.core.manifest.model import Action, Manifest, Trigger
from connector.core.resources.model import Resource

Schema = dict[str, Any]
ROOMS = ("ledger", "accounting", "person_account", "banking", "mobility", "events", "errors")


def ref(name: str) -> Schema:
    """Points to a component."""
    return {"$ref": f"#/components/schemas/{name}"}


def example_inputs(fields: Iterable[Field]) -> dict[str, Any]:
    """What a filled-in form looks like: every required field with its example."""
    return {field.name: _example(field) for field in fields if field.required and not field.internal}


def _example(field: Field) -> Any:
    if field.example is not None or not field.fields:
        return field.example
    inner = example_inputs(field.fields)
    return [inner] if field.type == "list" else inner


def output_schema(manifest: Action | Trigger) -> Schema:
    """What an action gives, or one item of a trigger."""
    item = resource_ref(manifest.resource)
    if isinstance(manifest, Trigger):
        return {"allOf": [item, {"type": "object", "properties": {"_id": {"type": "string"}}, "required": ["_id"]}]}
    if manifest.is_list:
        return {"type": "object", "properties": {"items": {"type": "array", "items": item}}, "required": ["items"]}
    return item


def resource_ref(name: str) -> Schema:
    """Points to a resource; one of free form may be anything."""
    return ref(f"resource.{name}") if name in _resources() else {}


def resource_schemas(manifests: Iterable[Manifest]) -> dict[str, Schema]:
    """The resources that these manifests give, with everything that they contain."""
    schemas: dict[str, Schema] = {}
    for name in sorted({getattr(one, "resource", "") for one in manifests}):
        model = _resources().get(name)
        if model is None:
            continue
        schema = model.model_json_schema(ref_template="#/components/schemas/resource.{model}")
        for inner, described in schema.pop("$defs", {}).items():
            schemas[f"resource.{inner}"] = described
        if "$ref" not in schema:
            schemas[f"resource.{name}"] = schema
    return schemas


@cache
def _resources() -> dict[str, type[Resource]]:
    found: dict[str, type[Resource]] = {}
    for room in ROOMS:
        module = import_module(f"connector.core.resources.{room}")
        for name, value in vars(module).items():
            if isinstance(value, type) and issubclass(value, Resource) and value.__module__ == module.__name__:
                found[name] = value
    return found
