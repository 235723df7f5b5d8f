"""The service's resources as components of an OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from connector.export.output_fields import ROOMS

if TYPE_CHECKING:
    from connector.core.resources.model import Resource

Schema = dict[str, Any]
PREFIX = "#/components/schemas/"


def ref(name: str) -> Schema:
    """Points to a component."""
    return {"$ref": f"{PREFIX}{name}"}


def model_of(name: str) -> type[Resource] | None:
    """The model of a resource; None for one of free form."""
    return _models().get(name)


def schema_of(name: str) -> Schema:
    """Points to a resource; one of free form may be any object."""
    return ref(name) if model_of(name) else {"type": "object", "additionalProperties": True}


def components(names: Iterable[str]) -> dict[str, Schema]:
    """These resources, with everything that they contain, in order of their names."""
    found: dict[str, Schema] = {}
    for name in sorted(set(names)):
        model = model_of(name)
        if model is not None:
            schema = model.model_json_schema(ref_template=f"{PREFIX}{{model}}")
            found |= schema.pop("$defs", {})
            found[name] = schema
    return dict(sorted(found.items()))


@lru_cache(maxsize=1)
def _models() -> dict[str, type[Resource]]:
    from connector.core.resources.model import Resource

    found: dict[str, type[Resource]] = {}
    for room in ROOMS:
        module = import_module(f"connector.core.resources.{room}")
        for name, value in vars(module).items():
            if isinstance(value, type) and issubclass(value, Resource) and value.__module__ == module.__name__:
                found[name] = value
    return found
