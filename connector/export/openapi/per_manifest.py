"""A Kontor host as an OpenAPI document: the host's own, with a path for each action, lookup and trigger.

The host serves one route for all actions; importers of OpenAPI build a form per path. Both are true at once: a path
without a parameter goes before one with it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from connector.core.manifest.model import Action, Lookup, Manifest, Trigger
from connector.export.openapi.components import Schema, ref
from connector.export.openapi.host import PAGE_OF_OPTIONS
from connector.export.openapi.host import document as host_document
from connector.export.openapi.operations import JSON, PROBLEM
from connector.export.openapi.rules import METHODS
from connector.runtime.connector import Connector

SECURITY: list[dict[str, list[str]]] = [{"hostToken": [], "serviceKey": []}]
MOST_KEY_CHARACTERS = 200


def document(connector: Connector, public_url: str = "") -> dict[str, Any]:
    """The whole document."""
    tree = host_document(connector, public_url)
    schemas: dict[str, Schema] = tree["components"]["schemas"]
    polls = [trigger for trigger in connector.triggers.values() if trigger.source == "poll"]
    single = {
        **{f"/v1/actions/{manifest.id}/run": {"post": _run(manifest)} for manifest in connector.actions.values()},
        **{f"/v1/lookups/{manifest.id}": {"post": _options(manifest)} for manifest in connector.lookups.values()},
        **{f"/v1/triggers/{manifest.id}/poll": {"post": _poll(manifest)} for manifest in polls},
    }
    done = {
        **{f"action.{id}.answer": _done(id, schemas["RunAnswer"]) for id in connector.actions},
        **{f"trigger.{trigger.id}.answer": _polled(trigger.id, schemas["PollAnswer"]) for trigger in polls},
    }
    fixed = {path: _named(path, methods) for path, methods in tree["paths"].items()}
    components = {**tree["components"], "schemas": {**schemas, **done}}
    return {**tree, "paths": {**fixed, **single}, "components": components}


def _named(path: str, methods: dict[str, Any]) -> dict[str, Any]:
    """The same operations, each with an id that generated code can use."""
    words = "_".join(re.findall(r"[a-z]+", path))
    return {
        method: {"operationId": f"{method}_{words}", **operation} if method in METHODS else operation
        for method, operation in methods.items()
    }


def _run(action: Action) -> dict[str, Any]:
    body = {
        "inputs": ref(f"action.{action.id}.inputs"),
        "key": {"type": "string", "maxLength": MOST_KEY_CHARACTERS},
        **{word: {"type": "boolean", "default": False} for word in ("again", "guarded", "agent")},
    }
    waits = {"202": _answer("Waits for approval.", ref("ApprovalAwaited"))} if action.writes else {}
    return _operation(action, f"run_{action.id}", body, ref(f"action.{action.id}.answer"), waits)


def _done(id: str, general: Schema) -> Schema:
    """What running this action answers. A dry run is asked for on the path of all actions: it answers otherwise."""
    properties = {name: schema for name, schema in general["properties"].items() if name != "dry_run"}
    own = {"action": {"const": id}, "output": ref(f"action.{id}.output")}
    return {**general, "properties": {**properties, **own}}


def _options(lookup: Lookup) -> dict[str, Any]:
    body = {"inputs": ref(f"lookup.{lookup.id}.inputs"), **PAGE_OF_OPTIONS}
    return _operation(lookup, f"options_{lookup.id}", body, ref("OptionsAnswer"))


def _poll(trigger: Trigger) -> dict[str, Any]:
    body = {"inputs": ref(f"trigger.{trigger.id}.inputs"), "cursor": {"type": "string"}}
    return _operation(trigger, f"poll_{trigger.id}", body, ref(f"trigger.{trigger.id}.answer"))


def _polled(id: str, general: Schema) -> Schema:
    """What a poll of this trigger answers."""
    items = {"type": "array", "items": ref(f"trigger.{id}.item")}
    return {**general, "properties": {**general["properties"], "items": items}}


def _operation(
    manifest: Manifest, id: str, body: dict[str, Schema], done: Schema, more: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "operationId": id,
        "tags": [manifest.area],
        "summary": manifest.title.en,
        "description": manifest.description.en,
        "x-credits": manifest.cost.credits,
        "security": SECURITY,
        "requestBody": {
            "required": True,
            "content": {JSON: {"schema": {"type": "object", "properties": body, "additionalProperties": False}}},
        },
        "responses": {
            "200": _answer("Done.", done),
            **(more or {}),
            "4XX": PROBLEM,
            "default": PROBLEM,
        },
    }


def _answer(description: str, schema: Schema) -> Schema:
    return {"description": description, "content": {JSON: {"schema": schema}}}
