"""What the service answers, as OpenAPI responses: its envelopes, its errors, and what of them is assumed."""

from __future__ import annotations

from typing import Any

from connector.core.manifest.model import Action, Manifest, Request, Trigger
from connector.core.manifest.resource_schema import Resources
from connector.export.openapi.components import Schema, ref, schema_of

JSON = "application/json"
READ_FREELY = frozenset({"entries", "first_of", "wrap"})
"""Shapes that are made of answers in several forms."""
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


def responses(manifest: Manifest, request: Request, resources: Resources) -> dict[str, Any]:
    """Every answer of a manifest's call."""
    schema = _schema(manifest, request, resources)
    notes = [STATUS, *([ENVELOPE] if request.answer_assumed else [])]
    success = {
        "description": " ".join([f"{manifest.title.en}: done.", *notes]),
        "headers": _headers(),
        "content": {JSON: {"schema": schema}},
        "x-assumed": notes,
    }
    error = "LedgerError" if manifest.area == "ledger" else "Error"
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


def _schema(manifest: Manifest, request: Request, resources: Resources) -> Schema:
    """The form of the answer; a reader accepts one that is not shown with an envelope, or without."""
    shape = manifest.shape if isinstance(manifest, Action) else {}
    resource = manifest.resource if isinstance(manifest, Action | Trigger) else ""
    is_list = not isinstance(manifest, Action | Trigger) or manifest.is_list
    item = schema_of(resource, resources)
    inner: Schema = {"type": "array", "items": item} if is_list else item
    if request.answer_in == "body":
        return inner
    under = {request.answer_in: inner, **{name: {} for name in shape.get("keep", ())}}
    if manifest.area == "ledger" and manifest.cost.credits:
        under["platform"] = BALANCE
    wrapped = {"type": "object", "properties": under, "required": [request.answer_in]}
    if not request.answer_assumed:
        return wrapped
    return {} if resource not in resources or set(shape) & READ_FREELY else {"anyOf": [wrapped, inner]}
