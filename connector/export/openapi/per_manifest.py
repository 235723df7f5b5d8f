"""A Kontor host as an OpenAPI document: the host's own, with a path for each action, lookup and trigger.

The host serves one route for all actions; importers of OpenAPI build a form per path. Both are true at once: a path
without a parameter goes before one with it.
"""

from __future__ import annotations

import re
from typing import Any

from connector.core.manifest.model import Manifest
from connector.export.openapi.components import Schema, ref
from connector.export.openapi.host import PAGE_OF_OPTIONS
from connector.export.openapi.host import document as host_document
from connector.export.openapi.rules import METHODS
from connector.export.shape import ExportOptions
from connector.runtime.connector import Connector

JSON = "application/json"
SECURITY: list[dict[str, list[str]]] = [{"hostToken": [], "serviceKey": []}]
MOST_KEY_CHARACTERS = 200


def document(connector: Connector, options: ExportOptions) -> dict[str, Any]:
    """The whole document."""
    tree = host_document(connector, options.host_url)
    single = {
        **{f"/v1/actions/{manifest.id}/run": {"post": _run(manifest)} for manifest in connector.actions.values()},
        **{f"/v1/lookups/{manifest.id}": {"post": _options(manifest)} for manifest in connector.lookups.values()},
        **{
            f"/v1/triggers/{manifest.id}/poll": {"post": _poll(manifest)}
            for manifest in connector.triggers.values()
            if manifest.source == "poll"
        },
    }
    fixed = {path: _named(path, methods) for path, methods in tree["paths"].items()}
    return {**tree, "paths": {**fixed, **single}}


def _named(path: str, methods: dict[str, Any]) -> dict[str, Any]:
    """The same operations, each with an id that generated code can use."""
    words = "_".join(re.findall(r"[a-z]+", path))
    return {
        method: {"operationId": f"{method}_{words}", **operation} if method in METHODS else operation
        for method, operation in methods.items()
    }


def _run(action: Manifest) -> dict[str, Any]:
    body = {
        "inputs": ref(f"action.{action.id}.inputs"),
        "key": {"type": "string", "maxLength": MOST_KEY_CHARACTERS},
        "dry_run": {"type": "boolean", "default": False},
        **{word: {"type": "boolean", "default": False} for word in ("again", "guarded", "agent")},
    }
    done: Schema = {
        "type": "object",
        "properties": {
            "ok": {"const": True},
            "action": {"const": action.id},
            "output": ref(f"action.{action.id}.output"),
            "credits": ref("Credits"),
            "replayed": {"type": "boolean"},
            "run": {"type": ["string", "null"]},
            "warnings": {"type": "array", "items": {"type": "string"}},
            "dry_run": {"type": "boolean"},
        },
        "required": ["ok", "action", "output", "credits", "replayed", "run", "warnings"],
    }
    return _operation(action, f"run_{action.id}", body, done)


def _options(lookup: Manifest) -> dict[str, Any]:
    body = {"inputs": ref(f"lookup.{lookup.id}.inputs"), **PAGE_OF_OPTIONS}
    return _operation(lookup, f"options_{lookup.id}", body, ref("OptionsAnswer"))


def _poll(trigger: Manifest) -> dict[str, Any]:
    body = {"inputs": ref(f"trigger.{trigger.id}.inputs"), "cursor": {"type": "string"}}
    return _operation(trigger, f"poll_{trigger.id}", body, ref("PollAnswer"))


def _operation(manifest: Manifest, id: str, body: dict[str, Schema], done: Schema) -> dict[str, Any]:
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
            "200": {"description": "Done.", "content": {JSON: {"schema": done}}},
            "default": {"$ref": "#/components/responses/Problem"},
        },
    }
