"""The same document in OpenAPI 3.0, which many importers still ask for: its schemas are an older dialect.

3.0 knows no null, no constant, no examples of a schema and nothing beside a reference; webhooks are an extension there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.core.manifest.resource_schema import NULL
from connector.export.openapi.components import Schema

VERSION = "3.0.3"
SCHEMA_LISTS = ("allOf", "anyOf", "oneOf")


def as_3_0(tree: Mapping[str, Any]) -> dict[str, Any]:
    """A document of OpenAPI 3.1 in 3.0."""
    info = {name: value for name, value in tree["info"].items() if name != "summary"}
    further = {"x-webhooks": _walked(tree["webhooks"])} if "webhooks" in tree else {}
    rest = {name: _walked(value) for name, value in tree.items() if name not in {"info", "webhooks", "openapi"}}
    return {"openapi": VERSION, "info": info, **rest, **further}


def _walked(node: Any, keyword: str = "") -> Any:
    """A part of the document, in which a schema stands wherever one may."""
    if isinstance(node, list):
        return [_walked(inner) for inner in node]
    if not isinstance(node, Mapping):
        return node
    if keyword == "schemas":
        return {name: _schema(inner) for name, inner in node.items()}
    return {
        name: _schema(inner) if name == "schema" else inner if name == "examples" else _walked(inner, name)
        for name, inner in node.items()
    }


def _schema(schema: Mapping[str, Any]) -> Schema:
    made = {name: _keyword(name, value) for name, value in schema.items()}
    made = _one_type(_without_null(made))
    if "const" in made:
        made |= {"enum": [made.pop("const")]}
        made.setdefault("type", _type_of(made["enum"][0]))
    if "examples" in made:
        made |= {"example": made.pop("examples")[0]}
    made.pop("contentEncoding", None)
    if not made.get("required", True):
        del made["required"]
    if "$ref" in made and len(made) > 1:
        made |= {"allOf": [{"$ref": made.pop("$ref")}, *made.get("allOf", ())]}
    return made


def _keyword(name: str, value: Any) -> Any:
    if name == "properties":
        return {field: _schema(inner) for field, inner in value.items()}
    if name in SCHEMA_LISTS:
        return [_schema(inner) if inner != NULL else inner for inner in value]
    if name == "items" or (name == "additionalProperties" and isinstance(value, Mapping)):
        return _schema(value)
    return _walked(value) if name.startswith("x-") else value


def _without_null(schema: Schema) -> Schema:
    """Null among the alternatives becomes a mark at each of them, beside its type."""
    kinds = schema.get("anyOf", [])
    if NULL not in kinds:
        return schema
    rest = {name: value for name, value in schema.items() if name != "anyOf"}
    marked = [_nullable(kind) for kind in kinds if kind != NULL]
    return {**(marked[0] if len(marked) == 1 else {"anyOf": marked}), **rest}


def _nullable(schema: Schema) -> Schema:
    if "$ref" in schema:  # to an object: whatever else may be null stands in its place
        return {"type": "object", "allOf": [schema], "nullable": True}
    if "anyOf" in schema:
        return {**schema, "anyOf": [_nullable(kind) for kind in schema["anyOf"]]}
    named = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, **named, "nullable": True}


def _one_type(schema: Schema) -> Schema:
    types = schema.get("type")
    if not isinstance(types, list):
        return schema
    rest = {name: value for name, value in schema.items() if name != "type"}
    kinds: list[Schema] = [{"type": one} for one in types if one != "null"]
    made = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    return {**(_nullable(made) if "null" in types else made), **rest}


def _type_of(value: Any) -> str:
    return {bool: "boolean", str: "string", int: "integer"}[type(value)]
