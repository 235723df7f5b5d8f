"""What the service answers, as OpenAPI responses: its envelopes, its errors, and what of them is assumed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connector.core.manifest.model import Action, Manifest, Request, Trigger
from connector.core.manifest.resource_schema import NULL, Resources
from connector.export.openapi.components import FREE, Schema, ref, schema_of

JSON = "application/json"
TEXT: Schema = {"type": "string"}
STATUS = "The service does not show its success status codes; {assumed} is assumed."
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


def responses(manifest: Manifest, schema: Schema) -> dict[str, Any]:
    """Every answer of a manifest's call; a success has this schema."""
    request = manifest.request
    assert request is not None, manifest.id
    successes = ("200", "201") if isinstance(manifest, Action) and manifest.writes else ("200",)
    notes = [STATUS.format(assumed=" or ".join(successes)), *([ENVELOPE] if request.answer_assumed else [])]
    success = {
        "description": " ".join([f"{manifest.title.en}: done.", *notes]),
        "headers": _headers(),
        "content": {JSON: {"schema": schema}},
        "x-assumed": notes,
    }
    error = "LedgerError" if manifest.area == "ledger" else "Error"
    return {
        **dict.fromkeys(successes, success),
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


def schemas(manifest: Manifest, request: Request, resources: Resources) -> tuple[Schema | None, Schema]:
    """The envelope of the answer and what stands in it; a reader accepts one that is not shown with it, or without."""
    shape = manifest.shape if isinstance(manifest, Action) else {}
    inner = _inner(manifest, shape, resources)
    if request.answer_in == "body":
        return None, inner
    under = {request.answer_in: inner, **dict.fromkeys(shape.get("keep", ()), FREE)}
    if manifest.area == "ledger" and manifest.cost.credits:
        under["platform"] = BALANCE
    return {"type": "object", "properties": under, "required": [request.answer_in]}, inner


def _inner(manifest: Manifest, shape: Mapping[str, Any], resources: Resources) -> Schema:
    """What stands in the envelope: some shapes are made of answers in several forms."""
    item = schema_of(manifest.resource if isinstance(manifest, Action | Trigger) else "", resources)
    listed: Schema = {"type": "array", "items": item}
    match shape:
        case {"first_of": names}:
            named = {name: {"anyOf": [TEXT, NULL]} for name in names}
            return {"anyOf": [TEXT, NULL, {"type": "object", "properties": named}]}
        case {"entries": _}:
            return {"anyOf": [listed, FREE]}
        case {"wrap": _}:
            return {"type": "array", "items": {"anyOf": [TEXT, item]}}
    is_list = not isinstance(manifest, Action | Trigger) or manifest.is_list
    return listed if is_list else item
