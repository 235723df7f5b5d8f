"""The service as an OpenAPI document, with every assumed name marked as such."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from connector.core.data.fields import Field
from connector.core.manifest.input_schema import field_schema
from connector.core.manifest.model import Lookup, Manifest, Request, Trigger
from connector.core.manifest.resource_schema import Resources, resource_schemas
from connector.core.service.wire import Wire
from connector.export.openapi import answers
from connector.export.openapi.components import PREFIX, Schema, named_by_place, ref
from connector.export.service_request import Placed, ServiceRequest, service_request
from connector.export.shape import ExportOptions
from connector.export.unexpressed import as_sent, one_per_address, without_duplicating
from connector.runtime.connector import Connector
from connector.version import __version__

MARKER = "lookup.marker"
ANSWER = "answer."
BEGINS = {"action": "", "lookup": "options_", "trigger": "poll_"}
PARAMETER = re.compile(r"\{\w+\}")
QUELLE = {
    "name": "quelle",
    "in": "query",
    "description": "Label of the calling source, for usage analytics; API when it is left out.",
    "schema": {"type": "string", "default": "API"},
}


def document(connector: Connector, options: ExportOptions) -> dict[str, Any]:
    """The whole document."""
    library = connector.library
    offered, _ = without_duplicating(connector.actions.values(), options)
    actions, _ = one_per_address(offered, options.wire)
    paths = _Paths(options.wire, library.resources)
    for action in actions:
        paths.add(as_sent(action))
    for lookup in connector.lookups.values():
        paths.mark_lookup(lookup)
    for trigger in connector.triggers.values():
        paths.mark_trigger(as_sent(trigger))
    used = ["ErrorBody", "LedgerErrorBody", *(event["data"] for event in library.events.values()), *paths.used]
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
        "tags": [{"name": area} for area in dict.fromkeys(action.area for action in actions)],
        "paths": dict(sorted(paths.found.items())),
        "webhooks": _webhooks(library.events),
        "components": {
            "schemas": {
                name: named_by_place(schema)
                for name, schema in resource_schemas(used, library.resources, PREFIX).items()
            }
            | paths.answers,
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


class _Paths:
    """The paths of a document as they grow: an operation for each method and path."""

    def __init__(self, wire: Wire, resources: Resources) -> None:
        self.found: dict[str, dict[str, Any]] = {}
        self.used: list[str] = []
        """The resources of the answers."""
        self.answers: dict[str, Schema] = {}
        """The envelopes of the answers."""
        self._known: dict[tuple[str, str], dict[str, Any]] = {}
        self._wire = wire
        self._resources = resources

    def add(self, manifest: Manifest) -> list[dict[str, Any]]:
        """The operations that a manifest calls; inputs in a path may have other names in the one that was first."""
        request = service_request(manifest, self._wire)
        if request is None or manifest.request is None:
            return []
        operations = []
        for path, choice in request.addresses:
            key = (PARAMETER.sub("{}", path), request.method.lower())
            if key not in self._known:
                operation = _operation(manifest, request, self._wire, path, choice)
                self.used.append(getattr(manifest, "resource", ""))
                operation["responses"] = answers.responses(manifest, self._answer(manifest, manifest.request))
                self._known[key] = self.found.setdefault(path, {})[request.method.lower()] = operation
            operations.append(self._known[key])
        return operations

    def _answer(self, manifest: Manifest, request: Request) -> Schema:
        """The schema of an answer; its envelope is a component, so that several responses may have it."""
        envelope, inner = answers.schemas(manifest, request, self._resources)
        if envelope is None:
            return inner
        name = f"{ANSWER}{BEGINS[manifest.kind]}{manifest.id}"
        self.answers[name] = envelope
        return {"anyOf": [ref(name), inner]} if request.answer_assumed else ref(name)

    def mark_lookup(self, lookup: Lookup) -> None:
        """Says of an operation that it fills a dropdown, and how a call of that kind is marked."""
        marker = self._wire.marker
        for operation in self.add(lookup):
            operation.setdefault("x-lookups", []).append(lookup.id)
            parameters = operation.setdefault("parameters", [])
            is_marked = any(parameter["name"] == marker.name for parameter in parameters)
            if lookup.area == "ledger" and marker.place != "none" and not is_marked:
                parameters.append(
                    {
                        "name": marker.name,
                        "in": marker.place,
                        "description": "Says that the call only fills a dropdown, which makes it free.",
                        "schema": {"type": "string", "examples": [marker.value]},
                        **_assumed(MARKER, self._wire),
                    }
                )

    def mark_trigger(self, trigger: Trigger) -> None:
        """Says of an operation that a trigger polls it."""
        for operation in self.add(trigger):
            operation.setdefault("x-triggers", []).append(trigger.id)


def _operation(manifest: Manifest, request: ServiceRequest, wire: Wire, path: str, choice: str) -> dict[str, Any]:
    parameters = [
        {"name": field.name, "in": "path", "required": True, **_described(field)}
        for field in request.in_path
        if re.search(rf"\{{{field.name}\}}", path)
    ]
    parameters += [_parameter(placed, wire) for placed in request.query]
    parameters += [
        {"name": name, "in": "query", "required": True, "schema": {"const": value}}
        for name, value in request.fixed.items()
    ]
    if request.carries_quelle:
        parameters.append(QUELLE)
    operation: dict[str, Any] = {
        "operationId": f"{BEGINS[manifest.kind]}{manifest.id}{choice and '_'}{choice}",
        "tags": [manifest.area],
        "summary": manifest.title.en,
        "description": manifest.description.en,
        "x-credits": manifest.cost.credits,
    }
    if manifest.cost.assumed:
        operation["x-assumed"] = ["The cost of this call is not shown."]
    if parameters:
        operation["parameters"] = parameters
    if request.body:
        operation["requestBody"] = {
            "required": any(placed.field.required for placed in request.body),
            "content": {"application/json": {"schema": _body(request, wire), "example": _example(request)}},
        }
    return operation


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
            placed.name: {**named_by_place(field_schema(placed.field)), **_assumed(placed.field.wire, wire)}
            for placed in request.body
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


def _webhooks(events: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
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
                                    "data": ref(declared["data"]),
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
        for event, declared in events.items()
    }
