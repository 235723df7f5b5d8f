"""Components of an OpenAPI document: references to them, and the service's resources among them."""

from __future__ import annotations

from typing import Any

from connector.core.resource_schema import Resources

Schema = dict[str, Any]
PREFIX = "#/components/schemas/"


def ref(name: str) -> Schema:
    """Points to a component."""
    return {"$ref": f"{PREFIX}{name}"}


def schema_of(name: str, resources: Resources) -> Schema:
    """Points to a resource; one of free form may be any object."""
    return ref(name) if name in resources else {"type": "object", "additionalProperties": True}
