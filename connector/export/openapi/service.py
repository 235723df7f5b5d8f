"""The service as an OpenAPI document, with every assumed name marked as such."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from connector.core.manifest.fields import Field
from connector.core.manifest.input_schema import field_schema
from connector.core.manifest.model import Action, Lookup, Trigger
from connector.core.resources.events import EVENT_DATA
from connector.core.wire import Wire
from connector.export.one_address import told_apart
from connector.export.openapi import answers
from connector.export.openapi.resources import Schema, components, ref
from connector.export.service_request import Placed, ServiceRequest, service_request
from connector.export.shape import ExportOptions
from connector.runtime.connector import Connector
from connector.version import __version__

MARKER = "lookup.marker"
PARAMETER = re.compile(r"\{\w+\}")
QUELLE = {
    "name": "quelle",
    "in": "query",
    "description": "Label of the calling source, for usage analytics; API when it is left out.",
    "schema": {"type": "string", "default": "API"},
}


def document(connector: Connector, options: ExportOptions) -> dict[str, Any]:
    """The whole document."""
    wire, paths = options.wire, dict[str, Any]()
    actions, _ = told_apart(connector.actions.values(), wire)
    for action in actions:
        request = service_request(action, wire)
        if request is not None:
            for path, suffix in _paths(request):
                paths.setdefault(path, {})[request.method.lower()] = _operation(action, request, wire, path, suffix)
    for lookup in connector.lookups.values():
        _mark_lookup(lookup, wire, paths)
    for trigger in connector.triggers.values():
        _mark_trigger(trigger, wire, paths)
    used = [action.resource for action in actions]
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Ledger, banking and mobility invoicing",
            "version": "2.0.0",
            "summary": "The service as Kontor understands it.",
            "description": (
                f"Made by Kontor {__version__}. What the service does not show is assumed, and marked with x-assumed: "
                "the value, the reason, and the sentence that leaves it open."
            ),
        },
        "servers": [{"url": options.base_url}],
        "security": [{"apiKey": []}],
        "tags": [{"name": area} for area in ("ledger", "banking", "mobility")],
        "paths": dict(sorted(paths.items())),
        "webhooks": _webhooks(),
        "components": {
            "schemas": components(
                [*used, "ErrorBody", "LedgerErrorBody", *(model.__name__ for model in EVENT_DATA.values())]
            ),
            "responses": answers.shared(),
            "headers": answers.headers(),
            "securitySchemes": {
                "apiKey": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "x-api-key",
                    "description": "Created in the dashboard under API keys.",
                }
            },
        },
    }


def _paths(request: ServiceRequest) -> Iterable[tuple[str, str]]:
    """The paths of a request, each with what tells its operation from the others."""
    if request.choice is None:
        return [(request.path, "")]
    return [(path, f"_{value}") for value, path in request.paths.items()]


def _operation(action: Action, request: ServiceRequest, wire: Wire, path: str, suffix: str) -> dict[str, Any]:
    parameters = [
        {"name": field.name, "in": "path", "required": True, **_described(field)}
        for field in request.in_path
        if re.search(rf"\{{{field.name}\}}", path)
    ]
    parameters += [_parameter(placed, wire) for placed in request.query]
    if request.carries_quelle:
        parameters.append(QUELLE)
    operation: dict[str, Any] = {
        "operationId": f"{action.id}{suffix}",
        "tags": [action.area],
        "summary": action.title.en,
        "description": action.description.en,
        "x-credits": action.cost.credits,
    }
    if action.cost.assumed:
        operation["x-assumed"] = ["The cost of this call is not shown."]
    if parameters:
        operation["parameters"] = parameters
    if request.body:
        operation["requestBody"] = {
            "required": any(placed.field.required for placed in request.body),
            "content": {"application/json": {"schema": _body(request, wire), "example": _example(request)}},
        }
    return {**operation, "responses": answers.responses(action)}


def _parameter(placed: Placed, wire: Wire) -> dict[str, Any]:
    field = placed.field
    parameter = {"name": placed.name, "in": "query", "required": field.required, **_described(field)}
    return {**parameter, **_assumed(field.wire, wire)}


def _described(field: Field) -> dict[str, Any]:
    schema = field_schema(field)
    description = schema.pop("description")
    schema.pop("title")
    return {"description": description, "schema": schema}


def _body(request: ServiceRequest, wire: Wire) -> Schema:
    required = [placed.name for placed in request.body if placed.field.required]
    schema: Schema = {
        "type": "object",
        "properties": {
            placed.name: {**field_schema(placed.field), **_assumed(placed.field.wire, wire)} for placed in request.body
        },
    }
    return {**schema, "required": required} if required else schema


def _example(request: ServiceRequest) -> dict[str, Any]:
    return {placed.name: placed.field.example for placed in request.body if placed.field.example is not None}


def _assumed(key: str | None, wire: Wire) -> dict[str, Any]:
    """Marks a name that the service does not show."""
    if key is None or wire.names[key].overridden:
        return {}
    name = wire.names[key]
    return {"x-assumed": [f"Name assumed because {name.because}.", f"Left open by: {name.open}"], "x-wire-key": key}


def _mark_lookup(lookup: Lookup, wire: Wire, paths: dict[str, Any]) -> None:
    """Says of an operation that it fills a dropdown, and how a call of that kind is marked."""
    request = service_request(lookup, wire)
    for operation in _operations_of(lookup, wire, paths):
        operation.setdefault("x-lookups", []).append(lookup.id)
        parameters = operation.setdefault("parameters", [])
        marker = request.marker if request else wire.marker
        if lookup.area != "ledger" or marker.place == "none" or any(one["name"] == marker.name for one in parameters):
            continue
        parameters.append(
            {
                "name": marker.name,
                "in": marker.place,
                "description": "Says that the call only fills a dropdown, which makes it free.",
                "schema": {"type": "string", "examples": [marker.value]},
                **_assumed(MARKER, wire),
            }
        )


def _mark_trigger(trigger: Trigger, wire: Wire, paths: dict[str, Any]) -> None:
    for operation in _operations_of(trigger, wire, paths):
        operation.setdefault("x-triggers", []).append(trigger.id)


def _operations_of(manifest: Lookup | Trigger, wire: Wire, paths: dict[str, Any]) -> list[dict[str, Any]]:
    """The operations that a manifest calls; what it calls an input in the path may differ from the action's name."""
    request = service_request(manifest, wire)
    if request is None:
        return []
    known = {PARAMETER.sub("{}", path): methods for path, methods in paths.items()}
    return [known[PARAMETER.sub("{}", path)][request.method.lower()] for path, _ in _paths(request)]


def _webhooks() -> dict[str, Any]:
    return {
        event: {
            "post": {
                "operationId": f"on_{event}",
                "summary": f"The service sends {event} to the one webhook URL.",
                "description": "Signing, retries and the expected answer are not shown; unknown events are no errors.",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {
                            "schema": {
                                "type": "object",
                                "properties": {
                                    "event": {"const": event},
                                    "data": ref(model.__name__),
                                    "received_at": {"type": "string", "format": "date-time"},
                                },
                                "required": ["event", "data"],
                            }
                        }
                    },
                },
                "responses": {"200": {"description": "Taken.", "x-assumed": ["The expected status is not shown."]}},
                "security": [],
            }
        }
        for event, model in EVENT_DATA.items()
    }
