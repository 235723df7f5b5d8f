"""The form of a tool's answer as a short JSON Schema, made from the resource; and answers held to it. Pure.

Clients hold every structured answer against the schema, errors too, and show nothing at all of one that does not fit.
So nothing is required, everything may be null, and what the service sends in another form than it describes goes into
the text only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from connector.core.manifest.library import Library
from connector.core.manifest.model import Action
from connector.core.manifest.resource_schema import DEFS, PLAIN, FieldType, Resources, fields_of
from connector.interfaces.mcp.answer_pages import NEXT

Schema = dict[str, Any]
TEXTS: Schema = {"type": ["string", "null"]}
OBJECT: Schema = {"type": ["object", "null"]}
NUMBERS = {"number", "integer"}
NOTHING = object()
"""In place of a value that does not fit."""


def answer_schema(action: Action, library: Library) -> Schema:
    """The form of what an action answers; its output is left open where the service's description leaves it so."""
    if action.resource not in library.resources:
        return {"type": "object"}
    one: Schema = {"$ref": f"{DEFS}{action.resource}"}
    output = {**OBJECT, "properties": {"items": _list_of(one)}} if action.is_list else one
    definitions = _definitions(action.resource, library.resources)
    return {"type": "object", "properties": {"output": output}, "$defs": definitions}


def rows_schema(name: str, texts: Iterable[str], objects: Iterable[str] = ()) -> Schema:
    """The form of an answer with a list of our own, of rows with these texts and objects, and where it goes on."""
    columns = {**dict.fromkeys(texts, TEXTS), **dict.fromkeys(objects, OBJECT)}
    return {"type": "object", "properties": {name: _list_of({**OBJECT, "properties": columns}), NEXT: TEXTS}}


def run_schema(texts: Iterable[str], objects: Iterable[str]) -> Schema:
    """The form of an answer that shows one run."""
    columns = {**dict.fromkeys(texts, TEXTS), **dict.fromkeys(objects, OBJECT)}
    return {"type": "object", "properties": {"run": {**OBJECT, "properties": columns}}}


def _definitions(resource: str, resources: Resources) -> dict[str, Schema]:
    """The resource, and those inside of it."""
    definitions: dict[str, Schema] = {}
    pending = [resource]
    while pending:
        name = pending.pop()
        if name not in definitions:
            fields = fields_of(name, resources)
            definitions[name] = {**OBJECT, "properties": {field: _of(one) for field, one in fields.items()}}
            pending += [one.name for one in fields.values() if one.is_resource]
    return dict(sorted(definitions.items()))


def _of(declared: FieldType) -> Schema:
    one: Schema = {"$ref": f"{DEFS}{declared.name}"} if declared.is_resource else _plain(declared.name)
    return _list_of(one) if declared.is_list else one


def _plain(name: str) -> Schema:
    kind = PLAIN[name].get("type")
    if kind is None:
        return {}
    # A number that JSON's readers would round is written as text.
    return {"type": [kind, "string", "null"] if kind in NUMBERS else [kind, "null"]}


def _list_of(one: Schema) -> Schema:
    return {"type": ["array", "null"], "items": one}


@dataclass(frozen=True, slots=True)
class Fitted:
    """An answer that fits its schema, and the places of what was left out for that."""

    document: dict[str, Any]
    left_out: tuple[str, ...]


def fitted(document: Mapping[str, Any], schema: Schema) -> Fitted:
    """Leave out of an answer in JSON's types what does not fit. Only declared names become places."""
    left_out: dict[str, None] = {}
    document = _fitted(document, schema, schema.get("$defs", {}), "", left_out)
    return Fitted(dict(document), tuple(left_out))


def _fitted(value: Any, schema: Schema, definitions: Mapping[str, Schema], at: str, left_out: dict[str, None]) -> Any:
    if "$ref" in schema:
        schema = definitions[schema["$ref"].removeprefix(DEFS)]
    if not _fits(value, schema.get("type")):
        left_out[at] = None
        return NOTHING
    if isinstance(value, Mapping):
        properties = schema.get("properties", {})
        inside = {
            name: _fitted(item, properties.get(name, {}), definitions, f"{at}.{name}".lstrip("."), left_out)
            for name, item in value.items()
        }
        return {name: item for name, item in inside.items() if item is not NOTHING}
    if isinstance(value, list):
        items = [_fitted(item, schema.get("items", {}), definitions, f"{at}[]", left_out) for item in value]
        return [item for item in items if item is not NOTHING]
    return value


def _fits(value: Any, declared: str | list[str] | None) -> bool:
    match value:
        case None:
            kinds = {"null"}
        case bool():
            kinds = {"boolean"}
        case str():
            kinds = {"string"}
        case int():
            kinds = {"integer", "number"}
        case float():
            kinds = {"integer", "number"} if value.is_integer() else {"number"}
        case Mapping():
            kinds = {"object"}
        case _:
            kinds = {"array"}
    return declared is None or not kinds.isdisjoint([declared] if isinstance(declared, str) else declared)
