"""The service's resources as JSON Schema, from what `manifests/resources` declares.

`?` behind a type makes it nullable, `[X]` is a list, and a capital letter begins the name of another resource. Known
values do not close a set, and fields that nobody described are allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from connector.core.values.money import PLAIN_DECIMAL

Schema = dict[str, Any]
Resources = Mapping[str, Mapping[str, Any]]
DEFS = "#/$defs/"
NULL: Schema = {"type": "null"}
PLAIN: Mapping[str, Schema] = {
    "text": {"type": "string"},
    "id": {"type": "string"},
    "iban": {"type": "string"},
    "uuid": {"type": "string", "format": "uuid"},
    "uri": {"type": "string", "format": "uri"},
    "date": {"type": "string", "format": "date"},
    "date-time": {"type": "string", "format": "date-time"},
    "amount-text": {"type": "string", "pattern": f"^{PLAIN_DECIMAL}$"},
    "money": {"type": "number"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "object": {"type": "object", "additionalProperties": True},
    "any": {},
}


@dataclass(frozen=True, slots=True)
class FieldType:
    """What a field holds, as declared."""

    name: str
    """One of the plain types, or a resource."""
    nullable: bool = False
    is_list: bool = False
    known: tuple[str, ...] = ()
    words: str = ""
    """The set of words for its known values."""
    refers_to: str = ""
    """The resource that an id is one of."""
    bounds: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, declared: Any) -> FieldType:
        """Reads a declaration: text, a list with one entry, or a mapping with `type`."""
        if isinstance(declared, list):
            return replace(cls.of(declared[0]), is_list=True)
        if isinstance(declared, Mapping):
            bounds = {name: declared[name] for name in ("minimum", "maximum") if name in declared}
            known = tuple(declared.get("known", ()))
            further = {name: declared[name] for name in ("words", "refers_to") if name in declared}
            return replace(cls.of(declared["type"]), known=known, bounds=bounds, **further)
        return cls(declared.removesuffix("?"), declared.endswith("?"))

    @property
    def is_resource(self) -> bool:
        """Whether it is another resource."""
        return self.name[:1].isupper()

    def schema(self, prefix: str) -> Schema:
        """The field's schema; other resources are referred to below the prefix."""
        schema: Schema = {"$ref": f"{prefix}{self.name}"} if self.is_resource else {**PLAIN[self.name], **self.bounds}
        if self.known:
            schema = {"anyOf": [{"type": "string", "enum": list(self.known)}, {"type": "string"}]}
        if self.is_list:
            schema = {"type": "array", "items": schema}
        return {"anyOf": [schema, NULL]} if self.nullable else schema


def fields_of(name: str, resources: Resources) -> dict[str, FieldType]:
    """The fields of a resource; none of one that is not declared."""
    declared = resources.get(name, {"fields": {}})
    return {name: FieldType.of(field) for name, field in declared["fields"].items()}


def resource_schemas(names: Iterable[str], resources: Resources, prefix: str = DEFS) -> dict[str, Schema]:
    """These resources and everything inside them, by name, referring to each other below the prefix."""
    schemas: dict[str, Schema] = {}
    to_visit = [name for name in names if name in resources]
    while to_visit:
        name = to_visit.pop()
        if name in schemas:
            continue
        fields = fields_of(name, resources)
        schemas[name] = {
            "title": name,
            "description": resources[name]["about"],
            "type": "object",
            "properties": {name: field.schema(prefix) for name, field in fields.items()},
            "additionalProperties": True,
        }
        if "required" in resources[name]:
            schemas[name]["required"] = list(resources[name]["required"])
        to_visit += [field.name for field in fields.values() if field.is_resource]
    return dict(sorted(schemas.items()))


def resource_schema(name: str, resources: Resources) -> Schema:
    """One resource as a schema of its own."""
    return {"$ref": f"{DEFS}{name}", "$defs": resource_schemas([name], resources)}
