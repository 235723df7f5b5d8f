"""Maps a failed answer to a `KontorError`, and decides whether the call may be retried. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any, TypedDict, Unpack

from connector.client.call import Call
from connector.core import errors
from connector.core.data.answers import DATA
from connector.core.messages import Text, quote, say
from connector.core.service.credential import redact
from connector.core.values import json
from connector.core.writes.proof import Proof, proof_of, says

LEDGER_CODES = ("ledger_connection_invalid", "ledger_export_service_missing", "ledger_endpoint_not_authorized")
"""Retrying does not help with these."""
MAX_MESSAGE_CHARACTERS = 500
"""How much of the service's own message an error quotes."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP answer, of any status."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class TransportFailure:
    """No answer. `sent` is False only where it is certain that no part of the request reached the service."""

    sent: bool
    why: Text
    permanent: bool = False
    """Whether a retry would fail the same way."""


class _More(TypedDict, total=False):
    remedy: Text | None
    outcome: errors.Outcome
    reconnect_url: str | None
    details: Any


def may_retry(call: Call, result: Answer | TransportFailure) -> bool:
    """Whether to send again: a read whenever that may help, a write never. Who records a write decides about that."""
    if call.writes:
        return False
    if isinstance(result, TransportFailure):
        return not result.permanent
    failed = result.status >= 500 or result.status in {408, 429}
    return failed and _code_in(_body(result)) not in LEDGER_CODES


def error_of(
    call: Call,
    result: Answer | TransportFailure,
    *,
    host: str,
    secret: str,
    believed: Collection[int],
    from_limiter: bool = False,
) -> errors.KontorError:
    """Return the error for a failed attempt.

    `believed` are the statuses that are taken for a refusal of a write, `from_limiter` says what the headers prove.
    """
    if isinstance(result, TransportFailure):
        return _transport_error(call, result, host)
    body = redact(_body(result), secret)
    said = _service_message(body)
    error = _answer_error(call, result.status, body, said)
    if not call.writes:
        return error
    proof = proof_of(result.status, body, said.en, from_limiter=from_limiter, believed=believed)
    if proof is None:
        return _unproven(error, result.status, said)
    return _proven(error, proof)


def unreadable_reply_error(call: Call, answer: Answer) -> errors.KontorError:
    """Return the error for a success whose body cannot be decoded; the outcome of a write is then unknown."""
    kind = answer.headers.get("content-type", "no content type").split(";")[0]
    error = errors.OutcomeUnknown if call.writes else errors.BadReply
    details = {"status": answer.status, "content_type": kind}
    return _told(error, "reply_unreadable", {"status": answer.status, "kind": kind}, details=details)


def failed_success_error(call: Call, answer: Answer, secret: str) -> errors.KontorError:
    """Return the error for a success that names an error, or, of a write, nothing that was made."""
    body = redact(_body(answer), secret)
    envelope = isinstance(body, Mapping) and isinstance(body.get(DATA), Mapping) and "error" not in body
    said = _service_message(body[DATA] if envelope else body)
    error = _answer_error(call, answer.status, body, said)
    return _unproven(error, answer.status, said) if call.writes else error


def provider_error(call: Call, said: str, status: int) -> errors.KontorError:
    """Return the error for a success in which the accounting provider reports a failure; some of a write may stand."""
    name = "provider_failed_write" if call.writes else "provider_failed"
    error = errors.OutcomeUnknown if call.writes else errors.Refused
    return _told(error, name, {"said": said}, details={"status": status, "provider": said})


def _told(
    error: type[errors.KontorError], name: str, values: Mapping[str, Any], **more: Unpack[_More]
) -> errors.KontorError:
    """An error whose message is the sentence of this name."""
    return error(say(name, **values), reason=name, **more)


def _transport_error(call: Call, failure: TransportFailure, host: str) -> errors.KontorError:
    values = {"host": host, "why": failure.why}
    if not failure.sent:
        error = _told(errors.ServiceDown, "never_connected", values, outcome="not_sent")
        error.retryable = not failure.permanent
        return error
    if call.writes:
        details = {"timed_out": failure.why == say("why_timeout")}
        return _told(errors.OutcomeUnknown, "write_lost", values, details=details)
    return _told(errors.ServiceDown, "answer_lost", values)


def _answer_error(call: Call, status: int, body: Any, said: Text) -> errors.KontorError:
    """Return what an answer says, whether or not that can be believed of a write."""
    values = {"status": status, "said": said}
    details = {"status": status, **({"body": body} if body is not None else {})}
    by_code = _ledger_code_error(body, values, details)
    if by_code:
        return by_code
    if status >= 500 or status == 408:
        return _told(errors.ServiceDown, "service_failed", values, outcome="refused", details=details)
    if 300 <= status < 400:
        return _told(errors.BadReply, "reply_redirects", values, outcome="refused", details=details)
    if status == 401 or ((status in {400, 403} or status < 300) and says("api_key", said.en)):
        return _told(errors.KeyRefused, "key_refused", values, details=details)
    if status == 402:
        remedy = say("credits_exhausted_remedy")
        return _told(errors.BudgetHeld, "credits_exhausted", values, remedy=remedy, outcome="refused", details=details)
    if status == 403:
        return _forbidden(call, values, details)
    if status == 404:
        return _told(errors.NotFound, "not_found", values, details=details)
    return _told(errors.Refused, "refused", values, remedy=_wire_hint(call, status, said.en), details=details)


def _proven(error: errors.KontorError, proof: Proof) -> errors.KontorError:
    error.outcome, error.proof = proof.told, proof.basis
    return error


def _unproven(error: errors.KontorError, status: int, said: Text) -> errors.OutcomeUnknown:
    """Return what is told of a write whose answer proves nothing; a ledger code's remedy and link are kept."""
    failed = status >= 500 or status == 408
    success = "reply_says_nothing" if status < 300 else "reply_redirects"
    name = "write_failed" if failed else success if status < 400 else "write_unproven"
    has_code = has_ledger_code(error)
    return errors.OutcomeUnknown(
        say(name, status=status, said=said),
        remedy=error.remedy if has_code else None,
        reconnect_url=error.reconnect_url,
        details=error.details,
        reason=name,
    )


def has_ledger_code(error: errors.KontorError) -> bool:
    """Whether the answer behind an error held one of the three ledger codes."""
    return isinstance(error.details, Mapping) and _code_in(error.details.get("body")) in LEDGER_CODES


def _code_in(body: Any) -> Any:
    return body.get("code") if isinstance(body, Mapping) else None


def _ledger_code_error(body: Any, values: Mapping[str, Any], details: Any) -> errors.KontorError | None:
    """Return the error for one of the three ledger codes, whatever the status; None for any other answer."""
    code = _code_in(body)
    if code == "ledger_connection_invalid":
        url = body.get("reconnectUrl")
        reconnect_url = url if isinstance(url, str) else None
        return _told(errors.ReconnectNeeded, "reconnect_needed", values, reconnect_url=reconnect_url, details=details)
    if code == "ledger_export_service_missing":
        booked = body.get("activeSubscriptions")
        remedy = None
        if isinstance(booked, list) and booked:
            remedy = say("service_not_booked_has", booked=", ".join(map(str, booked)))
        return _told(errors.ServiceNotBooked, "service_not_booked", values, remedy=remedy, details=details)
    if code == "ledger_endpoint_not_authorized":
        return _told(errors.RightMissing, "right_missing", values, details=details)
    return None


def _forbidden(call: Call, values: Mapping[str, Any], details: Any) -> errors.KontorError:
    if not call.carries_quelle:
        remedy = say("agency_scope_remedy")
        return _told(errors.RightMissing, "right_missing", values, remedy=remedy, details=details)
    if not call.writes and not call.has_client:
        # Without a client the default one is used; if it has no export subscription, ledger reads answer a plain 403.
        remedy = say("default_client_remedy")
        return _told(errors.ServiceNotBooked, "service_not_booked", values, remedy=remedy, details=details)
    return _told(errors.RightMissing, "right_missing", values, details=details)


def _body(answer: Answer) -> Any:
    try:
        return json.decode(answer.body) if answer.body else None
    except ValueError:
        return answer.body[:MAX_MESSAGE_CHARACTERS].decode("utf-8", "replace")


def _service_message(body: Any) -> Text:
    """Return the service's own error message, truncated."""
    words = [body.get("error"), body.get("message")] if isinstance(body, Mapping) else [body]
    texts = list(dict.fromkeys(text.strip() for text in words if isinstance(text, str) and text.strip()))
    if not texts or texts[0].startswith("<"):
        return say("nothing_said")
    return quote(" – ".join(texts)[:MAX_MESSAGE_CHARACTERS])


# How an error message may name a parameter: in quotes, in snake or camel case, or next to a word like "parameter".
PARAMETER_PATTERNS = (
    re.compile(r"['\"`„“]([A-Za-z_][\w.-]*)['\"`“”]"),
    re.compile(r"\b([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+)\b"),
    re.compile(r"(?i)\b(?:parameter|param|argument|field|property|feld)\b\W{0,3}([a-z_][\w.-]*)"),
    re.compile(r"(?i)\b([a-z_][\w.-]*)\b (?:is (?:required|missing)|fehlt|must be given)"),
    re.compile(r"(?i)\bmissing\b\W{0,2}([a-z_][\w.-]*)"),
)
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an the is are was be must not and or in of for to with required missing query parameter parameters param "
        "body path header field value request invalid bad no fehlt der die das ein eine ist im",
    )
)


def _parameter_names(said: str) -> list[str]:
    found = [name for pattern in PARAMETER_PATTERNS for name in pattern.findall(said)]
    return [name for name in dict.fromkeys(found) if name.lower() not in STOP_WORDS]


def _wire_hint(call: Call, status: int, said: str) -> Text | None:
    """When the service asks for a parameter under another name: return which wire key to set to which name."""
    if status not in {400, 422} or not call.wire_names:
        return None
    sent = {*call.query, *call.wire_names.values()}
    asked = [name for name in _parameter_names(said) if name not in sent]
    if not asked:
        return None
    name = asked[0]
    key = max(call.wire_names, key=lambda key: _similarity(name, key, call.wire_names[key]))
    return say("wire_hint", key=key, name=name, assumed=call.wire_names[key])


def _similarity(name: str, *others: str) -> float:
    return max(SequenceMatcher(None, name.lower(), other.lower()).ratio() for other in others)
