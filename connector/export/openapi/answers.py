"""What the service answers, as OpenAPI responses: its envelopes, its errors, and what of them is assumed."""

from __future__ import annotations

from typing import Any

from connector.core.manifest.model import Action
from connector.export.openapi.resources import Schema, ref, schema_of

JSON = "application/json"
BARE = frozenset({"CashBookEntry", "CollectiveInvoice", "MobilityCustomer"})
"""Resources that come without an envelope, as the service describes."""
OTHER_KEYS = {"LedgerConnection": "connections"}
NOT_SHOWN = frozenset(
    {
        "check_permissions",
        "get_payment",
        "get_trial_balance",
        "get_webhook_url",
        "initiate_payment",
        "list_document_types",
        "set_webhook_url",
        "start_bank_connect",
    }
)
"""Actions whose answer the service does not show: readers accept an envelope, or none."""
STATUS = "The service does not show its success status codes; 200 is assumed."
ENVELOPE = "The service does not show the form of this answer; it may come bare or under data."
BALANCE: Schema = {
    "type": "object",
    "properties": {"neuesGuthaben": {"type": "number", "description": "The credit balance after the call."}},
}
RATE_HEADERS = {
    name: {"description": text, "schema": {"type": "string"}}
    for name, text in {
        "RateLimit-Limit": "Requests allowed in the window.",
        "RateLimit-Remaining": "Requests left in the window.",
        "RateLimit-Reset": "When the window ends; whether in seconds or as a timestamp is not shown.",
    }.items()
}


def responses(action: Action) -> dict[str, Any]:
    """Every answer of an action's call."""
    schema, assumed = _schema(action)
    notes = [STATUS, *([ENVELOPE] if assumed else [])]
    success = {
        "description": " ".join([f"{action.title.en}: done.", *notes]),
        "headers": _headers(),
        "content": {JSON: {"schema": schema}},
        "x-assumed": notes,
    }
    error = "LedgerError" if action.area == "ledger" else "Error"
    return {
        "200": success,
        "400": {"$ref": f"#/components/responses/{error}"},
        "401": {"$ref": "#/components/responses/KeyRefused"},
        "403": {"$ref": f"#/components/responses/{error}"},
        "404": {"$ref": f"#/components/responses/{error}"},
        "429": {"$ref": "#/components/responses/RateLimited"},
        "default": {"$ref": f"#/components/responses/{error}"},
    }


def shared() -> dict[str, Any]:
    """The responses that all calls share."""
    return {
        "Error": _error("The service says why not.", "ErrorBody"),
        "LedgerError": _error(
            "The service says why not; a code names the three causes that have a remedy.", "LedgerErrorBody"
        ),
        "KeyRefused": {
            **_error("The key is missing or refused.", "LedgerErrorBody"),
            "x-assumed": ["The service does not show the status of a missing or invalid key; 401 is assumed."],
        },
        "RateLimited": _error("More than 200 requests in 15 minutes.", "ErrorBody"),
    }


def headers() -> dict[str, Any]:
    """The header components."""
    return RATE_HEADERS


def _headers() -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in RATE_HEADERS}


def _error(description: str, schema: str) -> dict[str, Any]:
    return {"description": description, "headers": _headers(), "content": {JSON: {"schema": ref(schema)}}}


def _schema(action: Action) -> tuple[Schema, bool]:
    item = schema_of(action.resource)
    inner: Schema = {"type": "array", "items": item} if action.is_list else item
    if action.id in NOT_SHOWN:
        free = action.resource == "FreeForm" or action.id in ("check_permissions", "list_document_types")
        return ({}, True) if free else ({"anyOf": [_under("data", inner, action), inner]}, True)
    if action.resource in BARE:
        return inner, False
    return _under(OTHER_KEYS.get(action.resource, "data"), inner, action), False


def _under(key: str, inner: Schema, action: Action) -> Schema:
    properties = {key: inner}
    if action.area == "ledger" and action.cost.credits:
        properties["platform"] = BALANCE
    return {"type": "object", "properties": properties, "required": [key]}
