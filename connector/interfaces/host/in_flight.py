"""The current request: its id, its language and the secret to redact from logs."""

from __future__ import annotations

import re
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from uuid import uuid4

_PROCESS, _REQUESTS = uuid4().hex[:20], count(1)
"""Together they form a request id that is unique across hosts."""
VALID_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")


@dataclass(slots=True)
class InFlight:
    """Filled in while the request is handled; read by the request log."""

    request_id: str
    lang: str = "en"
    secret: str = ""
    """The caller's API key, redacted in logs and errors."""
    route: str = "-"
    """The route's pattern, because path parameters may be secret."""
    kind: str | None = None
    """The kind of error in the response, if any."""
    refusal: str | None = None
    """Why a right was missing here, if that is the error; not when the service says so."""


CURRENT_REQUEST: ContextVar[InFlight | None] = ContextVar("kontor_request", default=None)


def current_language() -> str:
    """Return the language of the current request."""
    current = CURRENT_REQUEST.get()
    return "en" if current is None else current.lang


def request_id(given: str) -> str:
    """Return the caller's id if it is valid, else a new one."""
    return given if given and VALID_ID.fullmatch(given) else f"{_PROCESS}{next(_REQUESTS):012x}"


def language_of(accept_language: str | None) -> str:
    """Return `de` if `Accept-Language` prefers German to English, else `en`."""
    if not accept_language:
        return "en"
    wanted: dict[str, float] = {}
    for part in accept_language.lower().split(",")[:20]:
        name, _, rest = part.strip().partition(";")
        code = name.strip().partition("-")[0]
        wanted[code] = max(wanted.get(code, 0.0), _weight(rest))
    german = wanted.get("de", 0.0)
    return "de" if german > wanted.get("en", 0.0) else "en"


def _weight(parameters: str) -> float:
    for parameter in parameters.split(";"):
        name, _, value = parameter.strip().partition("=")
        if name == "q":
            try:
                return min(max(float(value), 0.0), 1.0)
            except ValueError:
                return 0.0
    return 1.0
