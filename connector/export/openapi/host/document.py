"""The description of a host: its routes, and what every action, lookup and trigger takes and gives."""

from __future__ import annotations

from typing import Any

from connector.core.manifest.input_schema import object_schema
from connector.durable.sending.address import MAX_URL_CHARACTERS
from connector.export.openapi.components import Schema, ref
from connector.export.openapi.host.answers import FLAG, TEXT, a_list, an_object, answer_schemas, nullable
from connector.export.openapi.host.manifest_schemas import output_schema, resource_components
from connector.export.openapi.host.operation import PROBLEM
from connector.export.openapi.host.paths import (
    administration_paths,
    call_paths,
    kept_paths,
    manifest_paths,
    sign_paths,
)
from connector.runtime.connector import Connector
from connector.version import __version__

CALLBACK = (
    "For actions that only read, open items above all: the run is accepted at once with 202, and its result posted to "
    "this public https address within minutes of being known. A wrong input is still answered at once. Nothing is kept "
    "over a crash of the host. A dry run is answered at once as well, and calls nobody back. A write too; "
    "if it waits for approval, what becomes of it is posted here as a delivery, signed with `callback_secret`."
)


def document(connector: Connector, public_url: str = "") -> dict[str, Any]:
    """The description of a host that runs these manifests."""
    about = connector.about
    return {
        "openapi": "3.1.0",
        "info": {"title": about["title"]["en"], "description": about["description"]["en"], "version": __version__},
        **({"servers": [{"url": public_url}]} if public_url else {}),
        "paths": {
            **call_paths(connector),
            **manifest_paths(connector),
            **kept_paths(connector),
            **administration_paths(),
            **sign_paths(),
        },
        "components": {
            "schemas": {**answer_schemas(), **_manifest_components(connector)},
            "responses": {
                "Problem": {
                    "description": "What went wrong, and what to do about it",
                    "content": {PROBLEM: {"schema": ref("Problem")}},
                }
            },
            "securitySchemes": {
                "hostToken": {"type": "http", "scheme": "bearer", "description": "The host's own token."},
                "serviceKey": {
                    "type": "apiKey",
                    "in": "header",
                    "name": "x-api-key",
                    "description": "The service's API key; used for this call and not stored, except by subscriptions.",
                },
            },
        },
    }


def _manifest_components(connector: Connector) -> dict[str, Schema]:
    """For every action, lookup and trigger the inputs; for actions the output, for triggers one item."""
    schemas: dict[str, Schema] = {}
    resources = connector.library.resources
    everything = {"action": connector.actions, "lookup": connector.lookups, "trigger": connector.triggers}
    for kind, manifests in everything.items():
        for id, manifest in manifests.items():
            schemas[f"{kind}.{id}.inputs"] = {"title": manifest.title.en, **object_schema(manifest.inputs)}
    for id, action in connector.actions.items():
        schemas[f"action.{id}.output"] = {
            "title": action.title.en,
            **output_schema(action, resources),
            "examples": [action.sample],
        }
    for id, trigger in connector.triggers.items():
        schemas[f"trigger.{id}.item"] = {"title": trigger.title.en, **output_schema(trigger, resources)}
    schemas |= resource_components([*connector.actions.values(), *connector.triggers.values()], resources)
    return {**schemas, **_run_schemas(connector), "PollAnswer": _poll_answer()}


def _run_schemas(connector: Connector) -> dict[str, Schema]:
    """A run's body and answer. Their form depends on the action; the extension says which component is whose."""
    inputs = {id: ref(f"action.{id}.inputs") for id in connector.actions}
    outputs = {id: ref(f"action.{id}.output") for id in connector.actions}
    request = an_object(
        {},
        {
            "inputs": {"type": "object", "x-kontor-by-action": inputs},
            "key": {"type": "string", "maxLength": 200, "description": "Names this step of this run: never twice."},
            "dry_run": {"type": "boolean", "description": "Show the request and send nothing."},
            "again": {"type": "boolean", "description": "Do it although the same was done a few minutes ago."},
            "guarded": {
                "type": "boolean",
                "description": "The key may be a new one: hold it back if an equal write is young or under way.",
            },
            "agent": {
                "type": "boolean",
                "description": "An agent runs it: the policy `agents` applies, whatever the token says.",
            },
            "callback_url": {**TEXT, "maxLength": MAX_URL_CHARACTERS, "description": CALLBACK},
        },
    )
    done = an_object(
        {
            "ok": {"const": True},
            "action": {"type": "string", "enum": list(connector.actions)},
            "output": {"x-kontor-by-action": outputs},
            "credits": ref("Credits"),
            "replayed": FLAG,
            "run": nullable(TEXT),
            "warnings": a_list(TEXT),
        },
        {"dry_run": FLAG},
    )
    return {"RunRequest": request, "RunAnswer": done}


def _poll_answer() -> Schema:
    item = {"type": "object", "properties": {"_id": TEXT}, "required": ["_id"]}
    return an_object(
        {
            "ok": {"const": True},
            "items": a_list(item),
            "cursor": TEXT,
            "credits": ref("Credits"),
            "more": {"type": "boolean", "description": "The answer looks cut off: asking at once may bring more."},
        },
        {"watched": {**a_list({"type": "object"}), "description": "What was watched because no input named one."}},
    )
