"""The description of a host: its operations, and what every action, lookup and trigger takes and gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from connector.core.manifest.input_schema import object_schema
from connector.core.manifest.model import Manifest
from connector.durable.sending.address import MAX_URL_CHARACTERS
from connector.export.openapi.components import (
    Schema,
    example_inputs,
    named_by_place,
    output_schema,
    ref,
    resource_components,
)
from connector.export.openapi.operations import JSON, describe, path_parameters, schemas_of
from connector.operations import calls, flows, invitations, money
from connector.operations.operation import Operation
from connector.operations.table import OPERATIONS
from connector.runtime.connector import Connector
from connector.version import __version__

OLDER = "3.0"
VERSIONS = ("3.1", OLDER)
EACH = "each"
PATHS = ("routes", EACH)
"""The paths that a host serves, or one of its own for each action, lookup and trigger."""
TEXT: Schema = {"type": "string"}
FLAG: Schema = {"type": "boolean"}
FREE: Schema = {"type": "object"}
CALLBACK = (
    "For actions that only read, open items above all: the run is accepted at once with 202, and its result posted to "
    "this public https address within minutes of being known. A wrong input is still answered at once. Nothing is kept "
    "over a crash of the host. A dry run is answered at once as well, and calls nobody back. A write too; "
    "if it waits for approval, what becomes of it is posted here as a delivery, signed with `callback_secret`."
)
ENTRIES: Mapping[Operation[...], type[BaseModel]] = {
    invitations.sign_in: invitations.SignInGiven,
    invitations.accept_invitation: invitations.InvitationGiven,
}
"""The operations by which a person gets in, with what each takes."""
PAGE_OF_OPTIONS: dict[str, Schema] = {
    "search": {"type": "string", "description": "Only options that hold all these words."},
    "limit": {"type": "integer", "minimum": 1, "description": "At most so many."},
    "after": {"type": "string", "description": "Only those behind this value, as `next` of the page before names it."},
}
INPUTS_IN_QUERY: Schema = {
    "name": "inputs",
    "in": "query",
    "description": "Each input as a parameter of its own; lists and objects as JSON.",
    "schema": {"type": "object", "additionalProperties": True},
    "style": "form",
    "explode": True,
}


def _header(name: str, about: str) -> Schema:
    return {"name": name, "in": "header", "description": about, "schema": {"type": "string", "maxLength": 100}}


def _query(name: str, about: str) -> Schema:
    return {"name": name, "in": "query", "description": about, "schema": TEXT}


def _choice(name: str, about: str, choices: Iterable[str]) -> Schema:
    return {"name": name, "in": "query", "description": about, "schema": {"type": "string", "enum": list(choices)}}


FORMS = [
    _choice("version", "Of OpenAPI; for importers that read nothing newer.", VERSIONS),
    _choice("paths", "`each`: a path for each action, lookup and trigger, for generators and importers.", PATHS),
]
LABELS = [
    _header("x-kontor-quelle", "Label of the calling platform, for the service's usage analytics."),
    _header("x-kontor-flow", "The flow for whose budget the call spends."),
]
LANGUAGE = _header("Accept-Language", "`de`: labels and hints in German; otherwise in English.")
PROTOCOL = _query("protocol", "`powerautomate`: 202 without items, Location and Retry-After for the next poll.")


def document(connector: Connector, public_url: str = "") -> dict[str, Any]:
    """The description of a host that runs these manifests."""
    about = connector.about
    return {
        "openapi": "3.1.0",
        "info": {"title": about["title"]["en"], "description": about["description"]["en"], "version": __version__},
        **({"servers": [{"url": public_url}]} if public_url else {}),
        "paths": _paths(connector),
        "components": {
            "schemas": {**_answers(), **_manifest_components(connector)},
            "responses": {
                "Problem": {
                    "description": "What went wrong, and what to do about it",
                    "content": {"application/problem+json": {"schema": ref("Problem")}},
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


def _paths(connector: Connector) -> dict[str, Schema]:
    choices = {f"/v1/{kind}": getattr(connector, kind) for kind in ("actions", "lookups", "triggers")}
    details = {operation.name: described for operation, described in _details(connector)}
    paths: dict[str, Schema] = {}
    for operation in OPERATIONS:
        path = paths.setdefault(operation.path, {})
        if parameters := path_parameters(operation, choices):
            path["parameters"] = parameters
        path[operation.method.lower()] = details.get(operation.name) or describe(operation)
    return paths


def _answers() -> dict[str, Schema]:
    results = dict.fromkeys(operation.result for operation in OPERATIONS if operation.result is not None)
    return schemas_of([*results, calls.Problem, calls.RunAccepted, calls.RunFailed, money.Policy, *ENTRIES.values()])


def _details(connector: Connector) -> list[tuple[Operation[...], Schema]]:
    """Describe the operations of which the table does not say everything."""
    actions, lookups, triggers = connector.actions, connector.lookups, connector.triggers
    polls = {id: trigger for id, trigger in triggers.items() if trigger.source == "poll"}
    by_event = next(id for id, trigger in triggers.items() if trigger.source == "event")
    polled: dict[str, Any] = {
        "answers": {200: ref("PollAnswer"), 202: ref("PollAnswer")},
        "headers": {202: ["Location", "Retry-After"]},
    }
    run = describe(
        calls.run_action,
        parameters=[
            _header("Idempotency-Key", "The same as `key`: the action is done at most once for each."),
            *LABELS,
        ],
        body=ref("RunRequest"),
        examples=_examples(actions),
        answers={200: ref("RunAnswer"), 202: ref("RunAccepted")},
    )
    run["callbacks"] = {"done": {"{$request.body#/callback_url}": {"post": _callback()}}}
    subscribe = describe(
        flows.create_subscription,
        parameters=LABELS,
        examples={by_event: {"trigger": by_event, "inputs": {}, "target_url": "https://flow.example/hook"}},
    )
    subscribe["requestBody"]["content"][JSON]["schema"]["properties"]["trigger"]["enum"] = list(triggers)
    event = {"type": "object", "properties": {"event": TEXT, "data": FREE, "received_at": TEXT}}
    received = describe(calls.receive_event, body=event, problems=(400, 404, 413, 429, 503))
    received["responses"]["200"] = {"description": "The event is on disk"}
    metrics = describe(calls.show_metrics)
    metrics["responses"]["200"] = {
        "description": "Prometheus' text format",
        "content": {"text/plain": {"schema": TEXT}},
    }
    return [
        (calls.run_action, run),
        (
            calls.list_options,
            describe(
                calls.list_options,
                parameters=[LANGUAGE, *LABELS],
                body=_an_object({}, {"inputs": FREE, **PAGE_OF_OPTIONS}),
                examples=_examples(lookups),
            ),
        ),
        (
            calls.list_options_by_query,
            describe(
                calls.list_options_by_query,
                parameters=[
                    *(_query(name, schema["description"]) for name, schema in PAGE_OF_OPTIONS.items()),
                    INPUTS_IN_QUERY,
                    LANGUAGE,
                    *LABELS,
                ],
            ),
        ),
        (
            calls.poll_trigger,
            describe(
                calls.poll_trigger,
                parameters=[PROTOCOL, *LABELS],
                body=_an_object({}, {"inputs": FREE, "cursor": TEXT, "start": TEXT}),
                examples=_examples(polls),
                **polled,
            ),
        ),
        (
            calls.poll_trigger_by_query,
            describe(
                calls.poll_trigger_by_query,
                parameters=[
                    _query("cursor", "From the last poll."),
                    _query("start", "Where to begin without a cursor: now, all or since:ID."),
                    PROTOCOL,
                    INPUTS_IN_QUERY,
                    *LABELS,
                ],
                **polled,
            ),
        ),
        (flows.create_subscription, subscribe),
        (calls.receive_event, received),
        *((entry, _entry(entry, given)) for entry, given in ENTRIES.items()),
        (
            calls.show_readiness,
            describe(calls.show_readiness, answers={200: ref("ReadyAnswer"), 503: ref("ReadyAnswer")}),
        ),
        (calls.show_metrics, metrics),
        (
            calls.show_openapi,
            describe(calls.show_openapi, parameters=FORMS, answers={200: FREE}, problems=(400, 401, 403)),
        ),
        (calls.show_start, describe(calls.show_start, answers={200: FREE})),
    ]


def _entry(operation: Operation[...], given: type[BaseModel]) -> Schema:
    """Describe an operation by which a person gets in, to whom no token opens anything yet."""
    return describe(operation, body=ref(given.__name__), problems=(400, 401, 403, 413, 422, 429))


def _callback() -> Schema:
    """What the host posts to a run's `callback_url`; it tries again for some minutes until it is taken."""
    done = {"oneOf": [ref("RunAnswer"), ref("RunFailed")]}
    return {
        "summary": "What became of the run",
        "security": [],
        "parameters": [_header("X-Request-Id", "The `id` with which the run was accepted.")],
        "requestBody": {"content": {JSON: {"schema": done}}},
        "responses": {"2XX": {"description": "Taken"}, "410": {"description": "Nobody waits any more"}},
    }


def _examples(manifests: Mapping[str, Manifest]) -> dict[str, Any]:
    return {id: {"inputs": example_inputs(manifest.inputs)} for id, manifest in manifests.items()}


def _an_object(required: dict[str, Schema], optional: dict[str, Schema]) -> Schema:
    """An object with these fields and no others."""
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


def _manifest_components(connector: Connector) -> dict[str, Schema]:
    """For every action, lookup and trigger the inputs; for actions the output, for triggers one item."""
    schemas: dict[str, Schema] = {}
    given = [*connector.actions.values(), *connector.triggers.values()]
    resources = resource_components(given, connector.library.told)
    everything = {"action": connector.actions, "lookup": connector.lookups, "trigger": connector.triggers}
    for kind, manifests in everything.items():
        for id, manifest in manifests.items():
            inputs = named_by_place(object_schema(manifest.inputs))
            schemas[f"{kind}.{id}.inputs"] = {"description": f"Inputs: {manifest.title.en}", **inputs}
    for id, action in connector.actions.items():
        schemas[f"action.{id}.output"] = {
            **output_schema(action, resources),
            "description": f"Output: {action.title.en}",
            "examples": [action.sample],
        }
    for id, trigger in connector.triggers.items():
        schemas[f"trigger.{id}.item"] = {
            **output_schema(trigger, resources),
            "description": f"Item: {trigger.title.en}",
        }
    return {**schemas, **resources, **_run_schemas(connector)}


def _run_schemas(connector: Connector) -> dict[str, Schema]:
    """A run's body and answer. Their form depends on the action; the extension says which component is whose."""
    inputs = {id: ref(f"action.{id}.inputs") for id in connector.actions}
    outputs = {id: ref(f"action.{id}.output") for id in connector.actions}
    request = _an_object(
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
    done = _an_object(
        {
            "ok": {"const": True},
            "action": {"type": "string", "enum": list(connector.actions)},
            "output": {"x-kontor-by-action": outputs},
            "credits": ref("Credits"),
            "replayed": FLAG,
            "run": {"anyOf": [TEXT, {"type": "null"}]},
            "warnings": {"type": "array", "items": TEXT},
        },
        {"dry_run": FLAG},
    )
    return {"RunRequest": request, "RunAnswer": done}
