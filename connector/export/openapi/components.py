"""Components of an OpenAPI document: references to them, the service's resources, and what manifests take and give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from connector.core.data.events import ARRIVED_AT, RECEIVED_AT
from connector.core.data.fields import Field
from connector.core.manifest.model import Action, Manifest, Trigger
from connector.core.manifest.resource_schema import PLAIN, Resources, resource_schemas

Schema = dict[str, Any]
FREE: Schema = {"type": "object", "additionalProperties": True}
PREFIX = "#/components/schemas/"
RESOURCE = "resource."
"""Begins the names of components that are resources of the service."""


def ref(name: str) -> Schema:
    """Points to a component."""
    return {"$ref": f"{PREFIX}{name}"}


def schema_of(name: str, resources: Resources) -> Schema:
    """Points to a resource; one of free form may be any object."""
    return ref(name) if name in resources else FREE


def example_inputs(fields: Iterable[Field]) -> dict[str, Any]:
    """What a filled-in form looks like: every required field with its example."""
    return {field.name: _example(field) for field in fields if field.required and not field.internal}


def _example(field: Field) -> Any:
    if field.example is not None or not field.fields:
        return field.example
    inner = example_inputs(field.fields)
    return [inner] if field.type == "list" else inner


def named_by_place(schema: Schema) -> Schema:
    """The schema without titles where generators would make classes of them: two places may share one, names cannot."""
    makes_class = "properties" in schema or "enum" in schema or schema.get("type") == "object"
    return {name: _named_inside(name, inner) for name, inner in schema.items() if not (name == "title" and makes_class)}


def _named_inside(keyword: str, value: Any) -> Any:
    match keyword, value:
        case "properties", dict():
            return {name: named_by_place(inner) for name, inner in value.items()}
        case (("items" | "additionalProperties"), dict()):
            return named_by_place(value)
        case (("allOf" | "anyOf" | "oneOf"), list()):
            return [named_by_place(inner) for inner in value]
    return value


def output_schema(manifest: Action | Trigger, resources: Mapping[str, Schema]) -> Schema:
    """What an action gives, or one item of a trigger, spelt out; one of free form may be anything."""
    name = f"{RESOURCE}{manifest.resource}"
    if isinstance(manifest, Trigger):
        whole = resources.get(name, FREE)
        always = ["_id", *([ARRIVED_AT] if manifest.source == "event" else [])]
        times = {name: PLAIN["date-time"] for name in (RECEIVED_AT, ARRIVED_AT) if manifest.source == "event"}
        properties = {**whole.get("properties", {}), "_id": PLAIN["text"], **times}
        return {**whole, "properties": properties, "required": [*whole.get("required", ()), *always]}
    if manifest.is_list:
        items = {"type": "array", "items": ref(name) if name in resources else FREE}
        return {"type": "object", "properties": {"items": items}, "required": ["items"]}
    return resources.get(name, {})


def resource_components(manifests: Iterable[Manifest], resources: Resources) -> dict[str, Schema]:
    """The resources that these manifests give, with everything that they contain."""
    names = {getattr(manifest, "resource", "") for manifest in manifests}
    schemas = resource_schemas(names, resources, f"{PREFIX}{RESOURCE}")
    return {f"{RESOURCE}{name}": named_by_place(schema) for name, schema in schemas.items()}
