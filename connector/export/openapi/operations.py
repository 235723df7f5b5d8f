"""Describes operations of a host for OpenAPI: parameters, body, answers and security, from the one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from connector.export.openapi.components import PREFIX, Schema, ref
from connector.operations.operation import API_KEY, Operation

JSON = "application/json"
PROBLEM: Schema = {"$ref": "#/components/responses/Problem"}
SERVICE = (400, 401, 402, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504)
"""Whatever reaches the service can end in any of these."""


def describe(
    operation: Operation[...],
    *,
    parameters: Iterable[Schema] = (),
    body: Schema | None = None,
    examples: Mapping[str, Any] | None = None,
    answers: Mapping[int, Schema] | None = None,
    headers: Mapping[int, Iterable[str]] | None = None,
    problems: Iterable[int] | None = None,
) -> Schema:
    """Describe an operation; what the table cannot say of it is given here, parameters beside its own."""
    described: Schema = {"summary": operation.summary, "security": _security(operation), "responses": {}}
    if listed := [*_parameters(operation), *parameters]:
        described["parameters"] = listed
    body = body or _body(operation)
    if body is not None:
        content: Schema = {"schema": body}
        if examples:
            content["examples"] = {name: {"value": value} for name, value in examples.items()}
        described["requestBody"] = {"content": {JSON: content}}
    if answers is None:
        answers = {operation.status: ref(operation.result.__name__)} if operation.result else {}
    headers = headers or ({operation.status: ["Location"]} if operation.location else {})
    for status, schema in answers.items():
        told: Schema = {"description": operation.summary, "content": {JSON: {"schema": schema}}}
        if status in headers:
            told["headers"] = {name: {"schema": {"type": "string"}} for name in headers[status]}
        described["responses"][str(status)] = told
    for status in _problems(operation) if problems is None else problems:
        described["responses"].setdefault(str(status), PROBLEM)
    return described


def path_parameters(operation: Operation[...], choices: Mapping[str, Iterable[str]]) -> list[Schema]:
    """Return the parameters of a path; `choices` has the ids of manifests by the part of the path before them."""
    before = dict(zip(operation.path_names, operation.path.split("/{"), strict=False))
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string", "enum": list(choices[place])} if place in choices else TEXT,
        }
        for name, place in before.items()
    ]


TEXT: Schema = {"type": "string", "minLength": 1}


def schemas_of(models: Iterable[type[BaseModel]]) -> dict[str, Schema]:
    """Return models as components, with everything that they contain."""
    _, tree = models_json_schema([(model, "validation") for model in models], ref_template=PREFIX + "{model}")
    return {name: _plain(schema) for name, schema in tree["$defs"].items()}


def _plain(schema: Schema) -> Schema:
    """Return a schema without the titles and defaults that pydantic adds."""
    properties = {name: _without(inner, "title", "default") for name, inner in schema.get("properties", {}).items()}
    return {**_without(schema, "title"), **({"properties": properties} if properties else {})}


def _without(schema: Schema, *names: str) -> Schema:
    return {name: value for name, value in schema.items() if name not in names}


def _security(operation: Operation[...]) -> list[dict[str, list[str]]]:
    if operation.role is None:
        return []
    return [{"hostToken": [], **({"serviceKey": []} if operation.needs_key else {})}]


def _problems(operation: Operation[...]) -> Iterable[int]:
    if operation.needs_key:
        return SERVICE
    given, sent = operation.placed("query", "body", "whole body"), operation.placed("body", "whole body")
    return [
        *((400, 422) if given else ()),
        *((401, 403) if operation.role is not None else ()),
        *((404,) if operation.path_names else ()),
        *((409,) if operation.conflicts else ()),
        *((413,) if sent else ()),
    ]


def _parameters(operation: Operation[...]) -> list[Schema]:
    schemas = _input_schemas(operation)
    parameters = []
    for input in operation.placed("query", "header"):
        if input.sent_as == API_KEY:  # a security scheme
            continue
        schema = schemas[input.name]
        about = {"description": schema["description"]} if "description" in schema else {}
        required = {"required": True} if input.required else {}
        parameters.append(
            {"name": input.sent_as, "in": input.place, **required, **about, "schema": _without(schema, "description")}
        )
    return parameters


def _body(operation: Operation[...]) -> Schema | None:
    for whole in operation.placed("whole body"):
        assert whole.model is not None, operation.name
        return ref(whole.model.__name__)
    inputs = operation.placed("body")
    if not inputs:
        return None
    schemas = _input_schemas(operation)
    return {
        "type": "object",
        "properties": {input.name: schemas[input.name] for input in inputs},
        "required": [input.name for input in inputs if input.required],
        "additionalProperties": False,
    }


def _input_schemas(operation: Operation[...]) -> dict[str, Schema]:
    """Return the schema of each input; one that may be left out is not null."""
    if operation.function is None:
        return {}
    properties = operation.model.model_json_schema()["properties"]
    return {name: _not_null(_without(schema, "title", "default")) for name, schema in properties.items()}


def _not_null(schema: Schema) -> Schema:
    kinds = [kind for kind in schema.get("anyOf", ()) if kind != {"type": "null"}]
    return {**_without(schema, "anyOf"), **kinds[0]} if len(kinds) == 1 else schema
