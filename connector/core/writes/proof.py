"""What an answer to a write proves about it, also in the words of the accounting provider.

`manifests/proofs.yaml` has the table, with the sentence behind each row; `manifests/provider.yaml` has the words of
what the accounting provider itself says inside an answer of the service.

`connector/export/node/core/answers/proof.ts` is the other interpreter.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal

from connector.core.data import answers
from connector.core.manifest.load import library

ANY_CLIENT_ERROR = "any 4xx"
_PART = re.compile(r"\{([a-z_]+)\}")
ProvenOutcome = Literal["not_sent", "refused"]
Basis = Literal["described", "assumed"]


@dataclass(frozen=True, slots=True)
class Proof:
    """What is proven by an answer, and on what ground."""

    told: ProvenOutcome
    basis: Basis


def proof_of(status: int, body: Any, said: str, *, from_limiter: bool, believed: Collection[int]) -> Proof | None:
    """Return what an answer that is no success proves about a write; None when the write may have been made.

    `said` is the service's own message, `from_limiter` whether the rate-limit headers say that nothing is left.
    """
    table = _table()
    holds = body if isinstance(body, Mapping) else {}
    if any(name in holds for name in table["made"]):
        return None
    is_error_body = isinstance(holds.get(table["error"]), str) and bool(holds[table["error"]].strip())
    code = holds.get(table["code"])
    for row in table["rows"]:
        if not _is_among(status, row["status"], believed):
            continue
        if not (from_limiter if row.get("limiter") else is_error_body):
            continue
        if "code" in row and not (isinstance(code, str) and code.startswith(row["code"])):
            continue
        if all(says(name, said) for name in row.get("says", ())):
            return Proof(row["told"], row["proof"])
    return None


def tells_failure(reply: Any) -> bool:
    """Whether a success names an error and nothing else: the service has refused under a wrong status."""
    return answers.tells_failure(reply, _table()["made"])


def says(pattern: str, message: str) -> bool:
    """Whether the service's message fits a named pattern of the table."""
    return _patterns()[pattern].search(message) is not None


def _is_among(status: int, statuses: list[int] | str, believed: Collection[int]) -> bool:
    if isinstance(statuses, list):
        return status in statuses
    return 400 <= status < 500 if statuses == ANY_CLIENT_ERROR else status in believed


@cache
def _table() -> Mapping[str, Any]:
    table: Mapping[str, Any] = library()["proofs"]
    return table


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    return {name: re.compile(pattern) for name, pattern in whole_patterns(_table()).items()}


def whole_patterns(table: Mapping[str, Any]) -> dict[str, str]:
    """Return the patterns of the table with the parts that they are made of put in."""
    parts: dict[str, str] = {}

    def whole(pattern: str) -> str:
        return _PART.sub(lambda match: parts[match[1]], pattern)

    for name, pattern in table["parts"].items():
        parts[name] = whole(pattern)
    return {name: whole(pattern) for name, pattern in table["patterns"].items()}


DATA = "data"
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class ProviderAnswer:
    """Whether the provider reports a failure, and what it says that is not usual."""

    failed: bool
    said: str


def unusual_answer(reply: Any) -> ProviderAnswer | None:
    """Return what the provider says of a failure or of anything else unusual; None for a usual answer or none."""
    words, statuses, messages = _declared(), list[Any](), list[Mapping[str, Any]]()
    for answer in _answers_in(reply):
        statuses.append(answer.get(words["status"]) if isinstance(answer, dict) else answer)
        messages += _messages(answer) if isinstance(answer, dict) else ()
    strange = [message for message in messages if _kind(_first(message, words["type"]))]
    signs = {*map(_kind_of_status, statuses), *(_kind(_first(message, words["type"])) for message in strange)} - {""}
    if not signs:
        return None
    texts = [*(str(status) for status in statuses if _kind_of_status(status)), *map(_text_of, strange or messages)]
    said = "; ".join(dict.fromkeys(text for text in texts if text))
    return ProviderAnswer("failed" in signs, said)


def _answers_in(reply: Any) -> list[Any]:
    """The provider's own answers, each an object or a text: one is described, a list of them is read too."""
    if not isinstance(reply, dict):
        return []
    name = _declared()["in"]
    answer = reply.get(name)
    if answer is None:
        inner = reply.get(DATA)
        answer = inner.get(name) if isinstance(inner, dict) else None
    return [each for each in (answer if isinstance(answer, list) else [answer]) if isinstance(each, dict | str)]


def _messages(answer: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in _declared()["messages"]:
        messages = answer.get(name)
        if isinstance(messages, list):
            yield from [message for message in messages if isinstance(message, dict)]


def _text_of(message: Mapping[str, Any]) -> str:
    """A message, with the file that it is about."""
    words = _declared()
    text, about = _first(message, words["text"]), _first(message, words["about"])
    return f"{about}: {text}" if about and text else str(text or about or "")


def _first(entry: Mapping[str, Any], names: list[str]) -> Any:
    for name in names:
        if value := entry.get(name):
            return value
    return None


@lru_cache(maxsize=256)
def _kind_of(text: str) -> str:
    """`failed`, `other`, or nothing for what is usual."""
    words = {word.lower() for word in _WORD.findall(text)}
    declared = _declared()
    if not words.isdisjoint(declared["failed"]):
        return "failed"
    return "" if words <= set(declared["usual"]) else "other"


def _kind(value: Any) -> str:
    return _kind_of(value) if isinstance(value, str) else ""


def _kind_of_status(value: Any) -> str:
    """The same of a status; one that is no text is unusual whatever it says."""
    return "other" if value is not None and not isinstance(value, str) else _kind(value)


@cache
def _declared() -> Mapping[str, Any]:
    declared: Mapping[str, Any] = library()["provider"]
    return declared
