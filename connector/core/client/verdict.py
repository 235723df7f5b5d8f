"""What an answer means: success, or the error that tells a flow what to do next. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any, TypedDict, Unpack

from connector.core import errors
from connector.core.client.call import Call
from connector.core.messages import Text, quote, say
from connector.core.redact import redact
from connector.core.values import json

_FAULTS = "invalid|unknown|missing|required|expired|revoked|wrong"
_KEY = r"api[ _-]?key"
_KEY_REFUSED = re.compile(
    rf"x-api-key|\b(?:{_FAULTS})\b[^.]{{0,20}}\b{_KEY}\b|\b{_KEY}\b[^.]{{0,20}}\b(?:{_FAULTS})\b", re.IGNORECASE
)
"""The status of a refused key is not shown; what the service says of it is."""
LEDGER_CODES = ("ledger_connection_invalid", "ledger_export_service_missing", "ledger_endpoint_not_authorized")
"""What they say does not change by asking again."""
MOST_SAID = 500
"""Characters of the service's own words that an error repeats."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Lost:
    """Nothing came back. `sent` is False only where it is certain that the service saw no part of the request."""

    sent: bool
    why: Text
    hopeless: bool = False
    """Asking again would end the same way."""


class _More(TypedDict, total=False):
    remedy: Text | None
    outcome: errors.Outcome
    reconnect_url: str | None
    details: Any


def may_repeat(call: Call, result: Answer | Lost) -> bool:
    """Whether the same call may leave again: a read whenever that may help, a write only if the service did not act."""
    if isinstance(result, Lost):
        return not result.hopeless and (not call.writes or not result.sent)
    if result.status == 429:
        return True
    failed = result.status >= 500 or result.status == 408
    return failed and not call.writes and _code_in(_body(result)) not in LEDGER_CODES


def error_of(call: Call, result: Answer | Lost, *, host: str, secret: str) -> errors.KontorError:
    """The error that a failed attempt amounts to."""
    if isinstance(result, Lost):
        return _error_of_loss(call, result, host)
    return _error_of_answer(call, result, secret)


def unreadable(call: Call, answer: Answer) -> errors.KontorError:
    """A success whose body cannot be read: for a write, it is not certain what was done."""
    kind = answer.headers.get("content-type", "no content type").split(";")[0]
    error = errors.OutcomeUnknown if call.writes else errors.BadReply
    details = {"status": answer.status, "content_type": kind}
    return _told(error, "reply_unreadable", {"status": answer.status, "kind": kind}, details=details)


def _told(
    error: type[errors.KontorError], name: str, values: Mapping[str, Any], **more: Unpack[_More]
) -> errors.KontorError:
    """An error whose message is the sentence of this name."""
    return error(say(name, **values), reason=name, **more)


def _error_of_loss(call: Call, lost: Lost, host: str) -> errors.KontorError:
    values = {"host": host, "why": lost.why}
    if not lost.sent:
        return _told(errors.ServiceDown, "never_connected", values, outcome="not_sent")
    if call.writes:
        details = {"timed_out": lost.why == say("why_timeout")}
        return _told(errors.OutcomeUnknown, "write_lost", values, details=details)
    return _told(errors.ServiceDown, "answer_lost", values)


def _error_of_answer(call: Call, answer: Answer, secret: str) -> errors.KontorError:
    body = redact(_body(answer), secret)
    said = _said(body)
    status = answer.status
    values = {"status": status, "said": said}
    details = {"status": status, **({"body": body} if body is not None else {})}
    by_code = _error_of_code(body, values, details)
    if by_code:
        return by_code
    if status >= 500 or status == 408:
        if call.writes:
            return _told(errors.OutcomeUnknown, "write_failed", values, details=details)
        return _told(errors.ServiceDown, "service_failed", values, outcome="refused", details=details)
    if status < 400:
        # 301, 307 and 308 say "not here"; any other redirect may follow on something that was done.
        if call.writes and status not in {301, 307, 308}:
            return _told(errors.OutcomeUnknown, "reply_redirects", values, details=details)
        return _told(errors.BadReply, "reply_redirects", values, outcome="refused", details=details)
    if status == 401 or (status in {400, 403} and _KEY_REFUSED.search(said.en)):
        return _told(errors.KeyRefused, "key_refused", values, details=details)
    if status == 402:
        remedy = say("credits_exhausted_remedy")
        return _told(errors.BudgetHeld, "credits_exhausted", values, remedy=remedy, outcome="refused", details=details)
    if status == 403:
        return _forbidden(call, values, details)
    if status == 404:
        return _told(errors.NotFound, "not_found", values, details=details)
    return _told(errors.Refused, "refused", values, remedy=_wire_hint(call, status, said.en), details=details)


def _code_in(body: Any) -> Any:
    return body.get("code") if isinstance(body, Mapping) else None


def _error_of_code(body: Any, values: Mapping[str, Any], details: Any) -> errors.KontorError | None:
    """The three ledger codes have three different remedies, whatever status they come with."""
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
    if not call.writes and not call.client_named:
        # Without a client the default one is meant; without its export subscription ledger reads answer a plain 403.
        remedy = say("default_client_remedy")
        return _told(errors.ServiceNotBooked, "service_not_booked", values, remedy=remedy, details=details)
    return _told(errors.RightMissing, "right_missing", values, details=details)


def _body(answer: Answer) -> Any:
    try:
        return json.decode(answer.body) if answer.body else None
    except ValueError:
        return answer.body[:MOST_SAID].decode("utf-8", "replace")


def _said(body: Any) -> Text:
    """The service's own words, whole where they are short."""
    words = [body.get("error"), body.get("message")] if isinstance(body, Mapping) else [body]
    texts = list(dict.fromkeys(text.strip() for text in words if isinstance(text, str) and text.strip()))
    if not texts or texts[0].startswith("<"):
        return say("nothing_said")
    return quote(" – ".join(texts)[:MOST_SAID])


# Where an error message may name a parameter: in quotes, spelled like one, beside a word that announces one.
NAMED = (
    re.compile(r"['\"`„“]([A-Za-z_][\w.-]*)['\"`“”]"),
    re.compile(r"\b([A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+|[a-z]+(?:[A-Z][a-z0-9]*)+)\b"),
    re.compile(r"(?i)\b(?:parameter|param|argument|field|property|feld)\b\W{0,3}([a-z_][\w.-]*)"),
    re.compile(r"(?i)\b([a-z_][\w.-]*)\b (?:is (?:required|missing)|fehlt|must be given)"),
    re.compile(r"(?i)\bmissing\b\W{0,2}([a-z_][\w.-]*)"),
)
NO_NAMES = frozenset(
    re.findall(
        r"\w+",
        "a an the is are was be must not and or in of for to with required missing query parameter parameters param "
        "body path header field value request invalid bad no fehlt der die das ein eine ist im",
    )
)


def _names_in(said: str) -> list[str]:
    found = [name for pattern in NAMED for name in pattern.findall(said)]
    return [name for name in dict.fromkeys(found) if name.lower() not in NO_NAMES]


def _wire_hint(call: Call, status: int, said: str) -> Text | None:
    """If the service asks for a parameter that Kontor calls otherwise: which wire key to set, and to what."""
    if status not in {400, 422} or not call.wire_names:
        return None
    sent = {*call.query, *call.wire_names.values()}
    asked = [name for name in _names_in(said) if name not in sent]
    if not asked:
        return None
    name = asked[0]
    key = max(call.wire_names, key=lambda key: _likeness(name, key, call.wire_names[key]))
    return say("wire_hint", key=key, name=name, assumed=call.wire_names[key])


def _likeness(name: str, *others: str) -> float:
    return max(SequenceMatcher(None, name.lower(), other.lower()).ratio() for other in others)
