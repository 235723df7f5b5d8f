"""What an error of the service or of the host means to Make: a type that decides what the scenario does next.

A read that failed may be repeated, so Make may do it. A write that failed half-way may have happened: its error must
not be one that Make repeats by itself.
"""

from __future__ import annotations

from typing import Any

from connector.core.messages import say
from connector.export.make.iml import literal, whole
from connector.export.make.names import QUELLE
from connector.export.shape import Via

DATA, RUNTIME, LIMIT, LINE, KEY = (
    "DataError",
    "RuntimeError",
    "RateLimitError",
    "ConnectionError",
    "InvalidAccessTokenError",
)
CODES = {
    "ledger_connection_invalid": "reconnect_needed_remedy",
    "ledger_export_service_missing": "service_not_booked_remedy",
    "ledger_endpoint_not_authorized": "right_missing_remedy",
}
SAID = "[{{statusCode}}] {{body.error}} {{body.message}}"
HALF_WAY = (408, 500, 502, 503, 504)


def errors(via: Via, lang: str, *, writes: bool) -> dict[str, Any]:
    """The error map: exact statuses and a message for all others."""
    return _of_host(lang) if via == "host" else _of_service(lang, writes)


def _of_service(lang: str, writes: bool) -> dict[str, Any]:
    by_code = ", ".join(f"{literal(code)}, {literal(_advice(name, lang))}" for code, name in CODES.items())
    explained = f"{SAID} {whole(f'switch(body.code, {by_code})')} {whole('body.reconnectUrl')}"
    key_refused = literal(_advice("key_refused_remedy", lang).replace("'", '"'))
    known = {
        400: (DATA, explained),
        # A ledger connection that has expired may be told with this status too, and its key is right all the same.
        401: (
            whole(f"if(body.code, {literal(RUNTIME)}, {literal(KEY)})"),
            f"{SAID} {whole(f'switch(body.code, {by_code}, {key_refused})')} {whole('body.reconnectUrl')}",
        ),
        402: (RUNTIME, f"{SAID} {_advice('credits_exhausted_remedy', lang)}"),
        403: (RUNTIME, explained),
        404: (DATA, f"{explained} {_advice('not_found_remedy', lang)}"),
        409: (DATA, explained),
        422: (DATA, explained),
        429: (LIMIT, f"{SAID} {_advice('rate_limited_remedy', lang)}"),
    }
    type, name = (RUNTIME, "outcome_unknown_remedy") if writes else (LINE, "service_down_remedy")
    half_way = {status: (type, f"{SAID} {_advice(name, lang)}") for status in HALF_WAY}
    return {"message": explained, **_statuses(known), **_statuses(half_way)}


def _advice(name: str, lang: str) -> str:
    """A remedy in the words of Make; what the service says before it may end without a full stop."""
    return f"→ {say(name).in_(lang, QUELLE)}"


def _of_host(lang: str) -> dict[str, Any]:
    """The host says itself what to do; with a key, its writes may be repeated."""
    message = "[{{statusCode}}] {{body.detail}} → " + whole(f"body.remedy.{lang}")
    types = {400: DATA, 401: KEY, 402: RUNTIME, 403: RUNTIME, 404: DATA, 409: DATA, 422: DATA, 429: LIMIT}
    types |= {500: RUNTIME, 502: LINE, 503: LINE, 504: RUNTIME}
    return {"message": message, **_statuses({status: (type, message) for status, type in types.items()})}


def _statuses(known: dict[int, tuple[str, str]]) -> dict[str, Any]:
    return {str(status): {"type": type, "message": message} for status, (type, message) in known.items()}
