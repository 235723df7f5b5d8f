"""Components of an OpenAPI document: references to them, the service's resources, and what manifests take and give."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from connector.core.data.events import ARRIVED_AT, RECEIVED_AT
from connector.core.data.fields import Field
from connector.core.manifest.model import Action, Manifest, Trigger
from connector.core.manifest.resource_schema import PLAIN, Resources, resource_schemas

Schema = dict[str, Any]
PREFIX = "#/components/schemas/"
RESOURCE = "resource."
"""Begins the names of components that are resources of the service."""


def ref(name: str) -> Schema:
    """Points to a component."""
    return {"$ref": f"{PREFIX}{name}"}


def schema_of(name: str, resources: Resources) -> Schema:
    """Points to a resource; one of free form may be any object."""
    return ref(name) if name in resources else {"type": "object", "additionalProperties": True}


def example_inputs(fields: Iterable[Field]) -> dict[str, Any]:
    """What a filled-in form looks like: every required field with its example."""
    return {field.name: _example(field) for field in fields if field.required and not field.internal}


def _example(field: Field) -> Any:
    if field.example is not None or not field.fields:
        return field.example
    inner = example_inputs(field.fields)
    return [inner] if field.type == "list" else inner


def output_schema(manifest: Action | Trigger, resources: Resources) -> Schema:
    """What an action gives, or one item of a trigger; one of free form may be anything."""
    item = ref(f"{RESOURCE}{manifest.resource}") if manifest.resource in resources else {}
    if isinstance(manifest, Trigger):
        always = ["_id", *([ARRIVED_AT] if manifest.source == "event" else [])]
        times = {name: PLAIN["date-time"] for name in (RECEIVED_AT, ARRIVED_AT) if manifest.source == "event"}
        return {"allOf": [item, {"type": "object", "properties": {"_id": PLAIN["text"], **times}, "required": always}]}
    if manifest.is_list:
        return {"type": "object", "properties": {"items": {"type": "array", "items": item}}, "required": ["items"]}
    return item


def resource_components(manifests: Iterable[Manifest], resources: Resources) -> dict[str, Schema]:
    """The resources that these manifests give, with everything that they contain."""
    names = {getattr(manifest, "resource", "") for manifest in manifests}
    schemas = resource_schemas(names, resources, f"{PREFIX}{RESOURCE}")
    return {f"{RESOURCE}{name}": schema for name, schema in schemas.items()}
