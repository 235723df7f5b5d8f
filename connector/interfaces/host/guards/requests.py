"""The guard of one request: until its caller is known, its body is hardly taken in and its connection a stranger's.

Whoever finds out who calls says so by `trust`: the middleware of the host by the token, the console by the session, and
the webhook endpoint by the token in the path.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from starlette.types import Message, Receive, Scope

from connector.core import limits
from connector.core.callers import Actor
from connector.core.values.json_members import HoldsTooMuch, MemberCount
from connector.interfaces.host.errors import BodyHoldsTooMuch, EncodingRefused, PayloadTooLarge, TooManyConnections
from connector.interfaces.host.guards.bodies import LargeBodies
from connector.interfaces.host.guards.connections import CONNECTION, GuardedConnection
from connector.interfaces.request_body import GUARD

T = TypeVar("T")


class BodyLimits(NamedTuple):
    """What a body may be."""

    max_bytes: int
    max_members: int | None
    """None for what is no JSON document."""


FORM = BodyLimits(limits.MAX_FORM_BYTES, None)
EVENT = BodyLimits(limits.MAX_EVENT_BODY_BYTES, limits.MAX_EVENT_MEMBERS)


class RequestGuard:
    """Receives the body of one request within limits, and knows its connection."""

    def __init__(self, scope: Scope, receive: Receive, places: LargeBodies) -> None:
        self._scope, self._receive, self._places = scope, receive, places
        self._connection: GuardedConnection | None = scope.get(CONNECTION)
        self._owner = ""
        self._max_bytes = FORM.max_bytes
        self._count: MemberCount | None = None
        self._size = 0
        self._give_back: Callable[[], None] | None = None
        scope[GUARD] = self

    def trust(self, owner: str, most: BodyLimits) -> None:
        """Take in such a body, of somebody who is known; raise when he holds too many connections already."""
        if self._connection is not None and not self._connection.belongs_to(owner):
            raise TooManyConnections
        self._owner, self._max_bytes = owner, most.max_bytes
        self._count = None if most.max_members is None else MemberCount(most.max_members)

    def distrust(self) -> None:
        """Take its connection for that of a stranger, whoever sent the request before."""
        if self._connection is not None:
            self._connection.belongs_to(None)

    async def receive(self) -> Message:
        """Receive the next part; raise as soon as the body is beyond a limit."""
        if not self._size:
            self._check_head()
        message = await self._receive()
        part = message.get("body", b"") if message["type"] == "http.request" else b""
        self._size += len(part)
        if self._size > self._max_bytes:
            raise PayloadTooLarge(self._max_bytes)
        if self._count is not None and part:
            try:
                self._count.add(part)
            except HoldsTooMuch as refused:
                raise BodyHoldsTooMuch(refused.text) from None
        if self._give_back is None and self.is_large:
            self._give_back = await self._places.take(self._owner)
        return message

    @property
    def is_large(self) -> bool:
        """Whether what has come so far takes long to read."""
        members = 0 if self._count is None else self._count.members
        return self._size > limits.LARGE_BODY_BYTES or members > limits.LARGE_BODY_MEMBERS

    async def read(self, read: Callable[[bytes], T], body: bytes) -> T:
        """Read what was received: a large body off the event loop."""
        return await self._places.read(read, body) if self.is_large else read(body)

    def end(self) -> None:
        """Give back what the request has taken."""
        if self._give_back is not None:
            self._give_back()

    def _check_head(self) -> None:
        """Refuse what the head of the request announces."""
        for name, value in self._scope["headers"]:
            if name == b"content-encoding" and value.strip().lower() not in (b"", b"identity"):
                raise EncodingRefused(value.decode("latin-1"))
            if name == b"content-length" and value.isdigit() and int(value) > self._max_bytes:
                raise PayloadTooLarge(self._max_bytes)


def owner_of(actor: Actor) -> str:
    """Return with whom a caller shares connections and places: all tokens of a workspace are one."""
    return actor.workspace or f"token {actor.name}"


def address_of(scope: Scope) -> str:
    """Return the address of whoever sent a request, as a trusted proxy says."""
    return str(scope["client"][0]) if scope.get("client") else ""


def origin_of(scope: Scope) -> str:
    """Return where a request comes from, for people: an address that a proxy has named stands beside the proxy's."""
    address, connection = address_of(scope), scope.get(CONNECTION)
    proxy = connection.address if connection is not None else address
    return address if address == proxy else f"{address} via {proxy}"
