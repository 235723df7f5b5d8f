"""The request that is being answered: its id, and the key that must not show up in what is written about it."""

from __future__ import annotations

import re
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import count
from uuid import uuid4

_PROCESS, _REQUESTS = uuid4().hex[:20], count(1)
"""Together they name a request, among all requests of all hosts."""
GIVEN_ID = re.compile(r"[A-Za-z0-9._-]{1,128}")


@dataclass(slots=True)
class UnderWay:
    """Filled in while the request is answered; read when its log line is written."""

    request_id: str
    lang: str = "en"
    secret: str = ""
    """The caller's API key."""
    route: str = "-"
    """The route's pattern: what stands in its blanks may be secret, or different each time."""
    kind: str | None = None
    """The kind of error that it is answered with."""


REQUEST: ContextVar[UnderWay | None] = ContextVar("kontor_request", default=None)


def request_id(given: str) -> str:
    """The caller's own id where it is harmless, else a new one."""
    return given if given and GIVEN_ID.fullmatch(given) else f"{_PROCESS}{next(_REQUESTS):012x}"
