"""Errors as callers over HTTP get them: problem documents (RFC 9457) that carry every field of our own errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from connector.core.errors import KontorError, Refused, ServiceDown
from connector.core.problem_kinds import title
from connector.core.redact import redact
from connector.durable.inbox.registration import WebhookUrlTaken
from connector.interfaces.host.answers import Answer, answer

CONTENT_TYPE = "application/problem+json"
TYPE = "urn:kontor:problem:"
LEAST_SECRET = 8
"""A shorter text is no key: hiding it wherever it occurs would only make messages unreadable."""
STATUS: Mapping[str, int] = {
    "input": 422,
    "key_refused": 401,
    "reconnect_needed": 403,
    "service_not_booked": 403,
    "right_missing": 403,
    "rate_limited": 429,
    "budget_held": 402,
    "not_found": 404,
    "refused": 422,
    "service_down": 502,
    "outcome_unknown": 504,
    "bad_reply": 502,
}


def status_of(error: KontorError) -> int:
    """The HTTP status that comes nearest to the consequence."""
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
            return STATUS.get(error.kind, 500)


def problem(error: KontorError, *, lang: str, request_id: str, secret: str = "") -> Answer:
    """The whole answer. `secret` is the caller's API key: should it have got into the error, it is hidden."""
    status = status_of(error)
    document: dict[str, Any] = {
        "type": f"{TYPE}{error.kind}",
        "title": title(error.kind).in_(lang),
        "status": status,
        "detail": error.message.in_(lang),
        **error.as_dict(lang),
        "request_id": request_id,
    }
    document = without(secret, document)
    headers = {"content-language": lang, "cache-control": "no-store"}
    if error.retry_at is not None:
        headers["retry-after"] = str(_seconds_until(error.retry_at))
    if status == 401:
        headers["www-authenticate"] = 'Bearer realm="kontor"' if error.kind == "host_token" else "x-api-key"
    return answer(document, status, headers, content_type=CONTENT_TYPE)


def failure(error: KontorError, *, lang: str, secret: str = "") -> dict[str, Any]:
    """The error as it stands in a document of its own, outside of an answer."""
    return without(secret, {"ok": False, "error": error.as_dict(lang)})


def without(secret: str, document: dict[str, Any]) -> dict[str, Any]:
    """The document with the caller's API key hidden, wherever it should have got to."""
    if len(secret) < LEAST_SECRET:
        return document
    hidden: dict[str, Any] = redact(document, secret)
    return hidden


def _seconds_until(moment: datetime) -> int:
    return max(1, math.ceil((moment - datetime.now(UTC)).total_seconds()))
