"""How the body of a request is read, for every face that answers HTTP: where a host guards it, as its guard says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

GUARD = "kontor.guard"
"""The name under which a request carries its guard."""

T = TypeVar("T")


class BodyReader(Protocol):
    """Whatever knows how large the body of a request is."""

    async def read(self, read: Callable[[bytes], T], body: bytes) -> T:
        """Read what was received: a large body off the event loop."""


async def read_body(scope: Mapping[str, Any], read: Callable[[bytes], T], body: bytes) -> T:
    """Read what was received of a request, off the event loop if that takes long."""
    guard: BodyReader | None = scope.get(GUARD)
    return read(body) if guard is None else await guard.read(read, body)
