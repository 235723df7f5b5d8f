"""JSON responses: documents with exact decimals, cached options, and errors as problem+json (RFC 9457)."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from cachetools import LRUCache
from starlette.responses import Response

from connector.core.errors import KontorError, Refused, ServiceDown, StoreDown
from connector.core.messages import say
from connector.core.problems import title
from connector.core.service.credential import redact
from connector.core.values import json
from connector.durable.inbox.registration import WebhookUrlTaken
from connector.interfaces.host.in_flight import CURRENT_REQUEST, InFlight, request_id
from connector.runtime.records.refusals import is_refusal
from connector.runtime.result import Options
from connector.store.database.errors import is_outage

MAX_LISTS = 256
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
log = logging.getLogger("kontor.host")


def json_response(
    value: Any,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    *,
    content_type: str = "application/json",
) -> Response:
    """Return a JSON response; the value comes from Kontor itself and is not validated again."""
    return Response(json.encode_clean(value), status, dict(headers) if headers else None, media_type=content_type)


class OptionsCache:
    """Keyed by object identity; holds a reference, so that the id is not reused."""

    def __init__(self) -> None:
        self._encoded: LRUCache[int, tuple[Options, bytes]] = LRUCache(MAX_LISTS)

    def encode(self, options: Options) -> bytes:
        """Return the encoded response body."""
        cached = self._encoded.get(id(options))
        if cached is None:
            cached = self._encoded[id(options)] = (options, json.encode_clean(options.as_dict()))
        return cached[1]


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


def error_response(error: KontorError) -> Response:
    """Return the error as problem+json, and note its kind for the request log."""
    in_flight = CURRENT_REQUEST.get() or InFlight(request_id(""))
    in_flight.kind = error.kind
    if is_refusal(error):
        in_flight.refusal = error.message.en
    return problem_response(error, lang=in_flight.lang, request_id=in_flight.request_id, secret=in_flight.secret)


def unexpected_error_response(error: Exception) -> Response:
    """Return a 500 for an exception that no code expected."""
    in_flight = CURRENT_REQUEST.get() or InFlight(request_id(""))
    return error_response(internal_error(error, in_flight.request_id))


def internal_error(error: Exception, id: str) -> KontorError:
    """Log the traceback, and return an error that shows callers only the request id.

    A lost database is logged once, where it is noticed.
    """
    if is_outage(error):
        return StoreDown(say("host_database_down"), remedy=say("host_database_down_remedy"))
    log.error("not foreseen: %s", type(error).__name__, exc_info=error)
    remedy = say("host_unexpected_remedy", id=id)
    return KontorError(say("host_unexpected"), remedy=remedy, outcome="unknown")
