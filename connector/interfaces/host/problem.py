"""Converts errors to problem+json (RFC 9457) with all fields of Kontor's errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from starlette.responses import Response

from connector.core.errors import KontorError, Refused, ServiceDown
from connector.core.problem_kinds import title
from connector.core.redact import redact
from connector.durable.inbox.registration import WebhookUrlTaken
from connector.interfaces.host.json_response import json_response

CONTENT_TYPE = "application/problem+json"
TYPE = "urn:kontor:problem:"
MIN_SECRET_LENGTH = 8
"""Shorter texts are no keys; redacting them would garble messages."""
STATUS_BY_KIND: Mapping[str, int] = {
    "input": 422,
    "key_refused": 401,
    "reconnect_needed": 403,
    "service_not_booked": 403,
    "right_missing": 403,
    "rate_limited": 429,
    "budget_held": 402,
    "likely_repeat": 409,
    "store_down": 503,
    "not_found": 404,
    "refused": 422,
    "service_down": 502,
    "store_refused": 503,
    "outcome_unknown": 504,
    "bad_reply": 502,
}


def http_status(error: KontorError) -> int:
    """Return the HTTP status for an error."""
    own = getattr(error, "http_status", None)
    if isinstance(own, int):
        return own
    match error:
        case WebhookUrlTaken():
            return 409
        case Refused(details={"status": 409}):
            return 409
        case ServiceDown(retry_at=datetime()) | ServiceDown(outcome="not_sent"):
            return 503
        case _:
            return STATUS_BY_KIND.get(error.kind, 500)


def problem_response(error: KontorError, *, lang: str, request_id: str, secret: str = "") -> Response:
    """Return the error as problem+json, with `secret` (the caller's API key) redacted."""
    status = http_status(error)
    document: dict[str, Any] = {
        "type": f"{TYPE}{error.kind}",
        "title": title(error.kind).in_(lang),
        "status": status,
        "detail": error.message.in_(lang),
        **error.as_dict(lang),
        "request_id": request_id,
    }
    document = redacted(secret, document)
    headers = {"content-language": lang, "cache-control": "no-store"}
    if error.retry_at is not None:
        headers["retry-after"] = str(_seconds_until(error.retry_at))
    if status == 401:
        headers["www-authenticate"] = 'Bearer realm="kontor"' if error.kind == "host_token" else "x-api-key"
    return json_response(document, status, headers, content_type=CONTENT_TYPE)


def error_document(error: KontorError, *, lang: str, secret: str = "") -> dict[str, Any]:
    """Return the error as a JSON document for a callback, with `secret` redacted."""
    return redacted(secret, {"ok": False, "error": error.as_dict(lang)})


def redacted(secret: str, document: dict[str, Any]) -> dict[str, Any]:
    """Return the document with the API key replaced wherever it occurs."""
    if len(secret) < MIN_SECRET_LENGTH:
        return document
    hidden: dict[str, Any] = redact(document, secret)
    return hidden


def _seconds_until(moment: datetime) -> int:
    return max(1, math.ceil((moment - datetime.now(UTC)).total_seconds()))
