"""The parts of which the description of a route is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from connector.export.openapi.components import Schema
from connector.export.openapi.host.answers import TEXT

PROBLEM = "application/problem+json"
HOST: list[dict[str, list[str]]] = [{"hostToken": []}]
BOTH: list[dict[str, list[str]]] = [{"hostToken": [], "serviceKey": []}]
OPEN: list[dict[str, list[str]]] = []
READING = (401,)
FORBIDDEN = (403,)
"""Whatever needs a token may be refused for its role."""
SERVICE = (400, 401, 402, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504)
"""Whatever reaches the service can end in any of these."""


def operation(
    summary: str,
    answers: Mapping[int, Schema],
    problems: Iterable[int],
    *,
    security: list[dict[str, list[str]]] = HOST,
    parameters: Iterable[Schema] = (),
    body: Schema | None = None,
    examples: Mapping[str, Any] | None = None,
    headers: Mapping[int, Mapping[str, Schema]] | None = None,
) -> Schema:
    """One operation."""
    described: Schema = {"summary": summary, "security": security, "responses": {}}
    if found := list(parameters):
        described["parameters"] = found
    if body is not None:
        content: Schema = {"schema": body}
        if examples:
            content["examples"] = {name: {"value": value} for name, value in examples.items()}
        described["requestBody"] = {"content": {"application/json": content}}
    for status, schema in answers.items():
        told: Schema = {"description": summary, "content": {"application/json": {"schema": schema}}}
        if headers and status in headers:
            told["headers"] = {name: {"schema": schema} for name, schema in headers[status].items()}
        described["responses"][str(status)] = told
    for status in (*problems, *(FORBIDDEN if security is not OPEN else ())):
        described["responses"].setdefault(str(status), {"$ref": "#/components/responses/Problem"})
    return described


def one_of(name: str, ids: Iterable[str]) -> Schema:
    """A parameter of the path that names a manifest."""
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string", "enum": list(ids)}}


def any_text(name: str) -> Schema:
    """A parameter of the path."""
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}


def query(name: str, about: str, schema: Schema = TEXT) -> Schema:
    """A parameter of the query."""
    return {"name": name, "in": "query", "description": about, "schema": schema}


def header(name: str, about: str) -> Schema:
    """A header."""
    return {"name": name, "in": "header", "description": about, "schema": {"type": "string", "maxLength": 100}}


LABELS = [
    header("x-kontor-quelle", "Label of the calling platform, for the service's usage analytics."),
    header("x-kontor-flow", "The flow for whose budget the call spends."),
]
LANGUAGE = header("Accept-Language", "`de`: labels and hints in German; otherwise in English.")
INPUTS_IN_QUERY: Schema = {
    "name": "inputs",
    "in": "query",
    "description": "Each input as a parameter of its own; lists and objects as JSON.",
    "schema": {"type": "object", "additionalProperties": True},
    "style": "form",
    "explode": True,
}
