"""The operations: one for each fixed route, with what it takes and every answer that it gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.core.manifest.model import Manifest
from connector.core.roles import ROLES
from connector.export.openapi.components import Schema, ref
from connector.export.openapi.host.answers import (
    COUNT,
    FLAG,
    FREE,
    PAGE_OF_OPTIONS,
    TEXT,
    a_list,
    an_object,
    nullable,
    ok,
)
from connector.export.openapi.host.manifest_schemas import example_inputs
from connector.export.openapi.host.operation import (
    BOTH,
    INPUTS_IN_QUERY,
    LABELS,
    LANGUAGE,
    OPEN,
    READING,
    SERVICE,
    any_text,
    header,
    one_of,
    operation,
    query,
)
from connector.runtime.connector import Connector

MANAGING = (400, 401, 413, 422)


def call_paths(connector: Connector) -> dict[str, Schema]:
    """The stateless calls."""
    actions, lookups, triggers = connector.actions, connector.lookups, connector.triggers
    polls = {id: one for id, one in triggers.items() if one.source == "poll"}
    polled = {200: ref("PollAnswer"), 202: ref("PollAnswer")}
    next_poll = {202: {"Location": TEXT, "Retry-After": TEXT}}
    protocol = query("protocol", "`powerautomate`: 202 without items, Location and Retry-After for the next poll.")
    return {
        "/v1/credential/test": {
            "post": operation("Tests the credential, free", {200: ref("TestAnswer")}, SERVICE, security=BOTH)
        },
        "/v1/actions/{id}/run": {
            "parameters": [one_of("id", actions)],
            "post": operation(
                "Runs an action",
                {200: ref("RunAnswer"), 202: ref("RunAccepted")},
                SERVICE,
                security=BOTH,
                parameters=[
                    header("Idempotency-Key", "The same as `key`: the action is done at most once for each."),
                    *LABELS,
                ],
                body=ref("RunRequest"),
                examples=_examples(actions),
            )
            | {"callbacks": {"done": {"{$request.body#/callback_url}": {"post": _callback()}}}},
        },
        "/v1/lookups/{id}": {
            "parameters": [one_of("id", lookups)],
            "post": operation(
                "A dropdown's options",
                {200: ref("OptionsAnswer")},
                SERVICE,
                security=BOTH,
                parameters=[LANGUAGE, *LABELS],
                body=an_object({}, {"inputs": FREE, **PAGE_OF_OPTIONS}),
                examples=_examples(lookups),
            ),
            "get": operation(
                "The same for platforms whose dropdowns can only GET",
                {200: ref("OptionsAnswer")},
                SERVICE,
                security=BOTH,
                parameters=[
                    *(query(name, one["description"]) for name, one in PAGE_OF_OPTIONS.items()),
                    INPUTS_IN_QUERY,
                    LANGUAGE,
                    *LABELS,
                ],
            ),
        },
        "/v1/triggers/{id}/poll": {
            "parameters": [one_of("id", triggers)],
            "post": operation(
                "Asks once what is new",
                polled,
                SERVICE,
                security=BOTH,
                parameters=[protocol, *LABELS],
                body=an_object({}, {"inputs": FREE, "cursor": TEXT, "start": TEXT}),
                examples=_examples(polls),
                headers=next_poll,
            ),
            "get": operation(
                "The same for platforms whose triggers can only GET",
                polled,
                SERVICE,
                security=BOTH,
                parameters=[
                    query("cursor", "From the last poll."),
                    query("start", "Where to begin without a cursor: now, all or since:ID."),
                    protocol,
                    INPUTS_IN_QUERY,
                    *LABELS,
                ],
                headers=next_poll,
            ),
        },
    }


def _callback() -> Schema:
    """What the host posts to a run's `callback_url`; it tries again for some minutes until it is taken."""
    done = {"oneOf": [ref("RunAnswer"), ref("RunFailed")]}
    return {
        "summary": "What became of the run",
        "parameters": [header("X-Request-Id", "The `id` with which the run was accepted.")],
        "requestBody": {"content": {"application/json": {"schema": done}}},
        "responses": {"2XX": {"description": "Taken"}, "410": {"description": "Nobody waits any more"}},
    }


def _examples(manifests: Mapping[str, Manifest]) -> dict[str, Any]:
    return {id: {"inputs": example_inputs(one.inputs)} for id, one in manifests.items()}


def manifest_paths(connector: Connector) -> dict[str, Schema]:
    """What there is."""
    listed = a_list(ref("Summary"))
    return {
        "/v1/connector": {"get": operation("What this host is", {200: ref("ConnectorAnswer")}, READING)},
        "/v1/actions": {"get": operation("All actions", {200: ok(actions=listed)}, READING)},
        "/v1/lookups": {"get": operation("All lookups", {200: ok(lookups=listed)}, READING)},
        "/v1/triggers": {"get": operation("All triggers", {200: ok(triggers=listed)}, READING)},
        "/v1/actions/{id}": {
            "parameters": [one_of("id", connector.actions)],
            "get": operation("One action, whole", {200: ref("ManifestAnswer")}, (401, 404)),
        },
        "/v1/triggers/{id}": {
            "parameters": [one_of("id", connector.triggers)],
            "get": operation("One trigger, whole", {200: ref("ManifestAnswer")}, (401, 404)),
        },
        "/v1/triggers/{id}/sample": {
            "parameters": [one_of("id", connector.triggers)],
            "get": operation("What a trigger gives a flow", {200: ok(items=a_list(FREE))}, (401, 404)),
        },
    }


def kept_paths(connector: Connector) -> dict[str, Schema]:
    """What the host keeps: subscriptions, their deliveries, the credentials behind them."""
    wish = an_object(
        {"trigger": {"type": "string", "enum": list(connector.triggers)}, "target_url": TEXT},
        {
            **{"inputs": FREE, "start": TEXT, "name": TEXT},
            "takeover": {**FLAG, "description": "Replace a foreign webhook URL at the service."},
            "pass_on": {**FLAG, "description": "Pass events on to that URL."},
        },
    )
    by_event = next(id for id, one in connector.triggers.items() if one.source == "event")
    example = {"trigger": by_event, "inputs": {}, "target_url": "https://flow.example/hook"}
    return {
        "/v1/subscriptions": {
            "get": operation("All subscriptions", {200: ok(subscriptions=a_list(ref("Subscription")))}, READING),
            "post": operation(
                "Begins a subscription and shows its secret; instead of a second equal one, the first is shown",
                {201: ref("SubscriptionCreated")},
                SERVICE,
                security=BOTH,
                parameters=[
                    header("Idempotency-Key", "A request repeated with its key gets the subscription of the first."),
                    *LABELS,
                ],
                body=wish,
                examples={by_event: example},
                headers={201: {"Location": TEXT}},
            ),
        },
        "/v1/subscriptions/{id}": {
            "parameters": [any_text("id")],
            "get": operation("One subscription", {200: ok(subscription=ref("Subscription"))}, (401, 404)),
            "delete": operation("Ends a subscription", {200: ref("SubscriptionEnded")}, (401, 404)),
        },
        "/v1/subscriptions/{id}/secret": {
            "parameters": [any_text("id")],
            "post": operation(
                "Replaces the secret, shown only here; for a day deliveries carry both signatures",
                {200: ok(id=TEXT, secret=TEXT, former_valid_until=TEXT)},
                (401, 404, 409),
            ),
        },
        **{
            f"/v1/subscriptions/{{id}}/{verb}": {
                "parameters": [any_text("id")],
                "post": operation(words, {200: ok(id=TEXT, **{became: FLAG})}, (401, 404, 409)),
            }
            for verb, became, words in (
                ("pause", "paused", "Lets its deliveries wait; polls and events go on, so that nothing is lost"),
                ("resume", "resumed", "Sends the deliveries that wait, the oldest at once"),
            )
        },
        "/v1/subscriptions/{id}/test": {
            "parameters": [any_text("id")],
            "post": operation(
                "Sends a test event at once: signed, with `_test` in its body, and never queued as a delivery",
                {200: ok(accepted=FLAG, status=nullable({"type": "integer"}), error=TEXT)},
                (401, 404, 409),
            ),
        },
        "/v1/subscriptions/{id}/target": {
            "parameters": [any_text("id")],
            "put": operation(
                "Sends to another URL from now on, what waits included",
                {200: ok(id=TEXT, changed=FLAG)},
                (401, 404, 409, 422),
                body=an_object({"target_url": TEXT}),
            ),
        },
        "/v1/subscriptions/{id}/deliveries": {
            "parameters": [any_text("id")],
            "get": operation("Its latest deliveries", {200: ok(deliveries=a_list(ref("Delivery")))}, (401, 404)),
        },
        "/v1/subscriptions/{id}/deliveries/{delivery}/replay": {
            "parameters": [any_text("id"), any_text("delivery")],
            "post": operation("Delivers again", {202: ref("DeliveryReplayed")}, (401, 404, 409)),
        },
        "/v1/runs": {
            "get": operation(
                "Writes or reads and their outcomes, the oldest first",
                {200: ok(runs=a_list(ref("Run")))},
                SERVICE,
                security=BOTH,
                parameters=[
                    query("state", "Only runs in this state, for example unknown."),
                    query("action", "Only runs of this action."),
                    query("key", "Only the run with this key."),
                    query("kind", "write, as without it, or read: reads, without what was read."),
                    query("after", "Only runs after this id: the next page."),
                ],
            )
        },
        "/v1/runs/{id}": {
            "parameters": [any_text("id")],
            "get": operation("One run, by its id or key", {200: ok(run=ref("Run"))}, SERVICE, security=BOTH),
        },
        "/v1/runs/{id}/settle": {
            "parameters": [any_text("id")],
            "post": operation(
                "Records whether an unknown run happened, and whether the equal writes that wait for it are sent",
                {200: ok(run=ref("Run"))},
                SERVICE,
                security=BOTH,
                body=an_object({"happened": FLAG}, {"note": TEXT, "release": FLAG, "waiting": COUNT}),
            ),
        },
        **{
            f"/v1/runs/{{id}}/{verb}": {
                "parameters": [any_text("id")],
                "post": operation(
                    words, {200: ok(run=ref("Run"))}, (401, 403, 404, 422), body=an_object({}, {"why": TEXT})
                ),
            }
            for verb, words in (
                ("approve", "Approves a run that waits; the host then sends it"),
                ("reject", "Rejects a run that waits; it is not sent"),
            )
        },
        "/v1/approvals": {
            "get": operation(
                "Runs that wait for approval",
                {200: ok(runs=a_list(ref("Run")))},
                (401, 403, 422),
                parameters=[query("workspace", "Only those of this workspace.")],
            )
        },
        "/v1/credits": {
            "get": operation(
                "What the key has spent, its balance and its budget", {200: ref("CreditReport")}, SERVICE, security=BOTH
            )
        },
        "/v1/policy": {
            "parameters": [query("workspace", "Whose; by default the token's own.")],
            "get": operation(
                "What a workspace allows", {200: ok(workspace=TEXT, policy=ref("Policy"))}, (401, 403, 422)
            ),
            "put": operation(
                "Changes what a workspace allows; what is not named stays",
                {200: ok(workspace=TEXT, policy=ref("Policy"))},
                (401, 403, 422),
                body=ref("Policy"),
            ),
        },
        "/v1/credentials": {
            "get": operation("Kept credentials", {200: ok(credentials=a_list(ref("KeptCredential")))}, READING)
        },
        "/v1/credentials/{id}": {
            "parameters": [any_text("id")],
            "put": operation(
                "Replaces the key by that of x-api-key", {200: ref("CredentialRotated")}, SERVICE, security=BOTH
            ),
            "delete": operation(
                "Ends all of its subscriptions, and its use", {200: ref("CredentialRevoked")}, (401, 404)
            ),
        },
    }


def administration_paths() -> dict[str, Schema]:
    """What admins manage: workspaces, their API keys, and tokens."""
    which = query("workspace", "Which workspace; a token of one manages its own.")
    token = an_object(
        {"name": TEXT, "role": {"type": "string", "enum": list(ROLES)}},
        {
            "person": TEXT,
            "workspace": {**TEXT, "description": "`*`: the whole host"},
            "expires_at": TEXT,
            "agent": {
                **FLAG,
                "description": "An agent holds it: the policy `agents` applies to whatever it runs, at every door.",
            },
        },
    )
    created = an_object(
        {"ok": {"const": True}, "name": TEXT, "role": TEXT, "workspace": nullable(TEXT), "token": TEXT}, {"agent": FLAG}
    )
    revoked = ok(name=TEXT, workspace=nullable(TEXT), revoked=FLAG)
    return {
        "/v1/workspaces": {
            "get": operation("Workspaces", {200: ok(workspaces=a_list(FREE))}, READING),
            "post": operation("Creates a workspace", {201: ok(name=TEXT)}, MANAGING, body=an_object({"name": TEXT})),
        },
        "/v1/keys": {
            "post": operation(
                "Keeps the key of x-api-key for a workspace, tested first",
                {201: ok(workspace=TEXT, id=TEXT, fingerprint=TEXT)},
                SERVICE,
                security=BOTH,
                parameters=[which],
            ),
            "put": operation(
                "Replaces the key of a workspace by that of x-api-key",
                {200: ok(workspace=TEXT, id=TEXT, replaced=FLAG)},
                SERVICE,
                security=BOTH,
                parameters=[which],
            ),
            "delete": operation(
                "Erases the key of a workspace",
                {200: ok(workspace=TEXT, id=TEXT, revoked=FLAG)},
                MANAGING,
                parameters=[which],
            ),
        },
        "/v1/tokens": {
            "get": operation(
                "Tokens, with their last use", {200: ok(tokens=a_list(FREE))}, MANAGING, parameters=[which]
            ),
            "post": operation(
                "Creates a token, shown only here",
                {201: created},
                MANAGING,
                body=token,
            ),
            "delete": operation(
                "Revokes a token",
                {200: revoked},
                MANAGING,
                parameters=[query("name", "The token's name."), which],
            ),
        },
        "/v1/tokens/{name}": {
            "parameters": [any_text("name")],
            "delete": operation("Revokes a token", {200: revoked}, MANAGING, parameters=[which]),
        },
        "/v1/hooks/rotate": {
            "post": operation(
                "Replaces the token in the webhook URL of a workspace",
                {200: ok(workspace=TEXT, rotated=COUNT)},
                MANAGING,
                parameters=[which],
            ),
        },
        "/v1/audit": {
            "get": operation(
                "The audit log, oldest first",
                {200: ok(entries=a_list(FREE), next=nullable(TEXT))},
                MANAGING,
                parameters=[
                    which,
                    query("after", "The id after which to continue."),
                    query("limit", "At most so many."),
                ],
            ),
        },
        "/v1/audit/verify": {
            "get": operation(
                "Whether anybody has changed the audit log",
                {200: {"type": "object", "properties": {"ok": {"type": "boolean"}, "chains": a_list(FREE)}}},
                MANAGING,
                parameters=[which, query("anchor", "An anchor kept from an earlier check.")],
            ),
        },
    }


def sign_paths() -> dict[str, Schema]:
    """Events, signs of life, and this description."""
    event = {"type": "object", "properties": {"event": TEXT, "data": FREE, "received_at": TEXT}}
    metrics = operation("Metrics for Prometheus", {}, READING)
    metrics["responses"]["200"] = {
        "description": "Prometheus' text format",
        "content": {"text/plain": {"schema": TEXT}},
    }
    taken_in = operation("Takes an event of the service in", {}, (400, 404, 413, 429, 503), security=OPEN, body=event)
    taken_in["responses"]["200"] = {"description": "The event is on disk"}
    return {
        "/hooks/{token}": {"parameters": [any_text("token")], "post": taken_in},
        "/healthz": {"get": operation("Whether the process answers", {200: ref("HealthAnswer")}, (), security=OPEN)},
        "/readyz": {
            "get": operation(
                "Whether the host can do its work",
                {200: ref("ReadyAnswer"), 503: ref("ReadyAnswer")},
                (),
                security=OPEN,
            )
        },
        "/metrics": {"get": metrics},
        "/openapi.json": {"get": operation("This description", {200: FREE}, READING)},
        "/": {"get": operation("Where things are", {200: FREE}, READING)},
    }
