"""Connections: for how long each may wait, how many there may be, and which of them is closed when there are too many.

Who has presented a right token is trusted, and his connections are kept as long as there is anybody else. So whoever
has a token gets in, even when strangers hold every connection: a new one is a stranger for the moment that its head
takes, and of strangers the one that has been there longest goes first.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable
from ipaddress import ip_address, ip_network
from typing import Any

from connector.core import limits
from connector.interfaces.host.guards.heads import HeaderLimitProtocol

CONNECTION = "kontor.connection"
"""The name under which a request carries its connection."""


class ConnectionTable:
    """The connections of one host, by who holds them."""

    def __init__(self, most: int, is_proxy: Callable[[str], bool] = lambda _: False) -> None:
        """`is_proxy` says of an address whether it is a trusted proxy, which speaks for many callers."""
        self.most = most
        self._is_proxy = is_proxy
        self._strangers: OrderedDict[GuardedConnection, None] = OrderedDict()
        """The one that has been there longest first."""
        self._by_address: dict[str, OrderedDict[GuardedConnection, None]] = {}
        self._by_owner: dict[str, OrderedDict[GuardedConnection, None]] = {}
        """The one whose last request lies farthest back first."""
        self._closing: set[GuardedConnection] = set()

    def add(self, connection: GuardedConnection) -> None:
        """Take in a new connection, and close one if there are too many of its address, or in all."""
        self._strangers[connection] = None
        if connection.address and not self._is_proxy(connection.address):
            connection.network = network_of(connection.address)
            together = self._by_address.setdefault(connection.network, OrderedDict())
            together[connection] = None
            if len(together) > max(1, int(self.most * limits.ADDRESS_SHARE)):
                self._close(next(iter(together)))
        if len(connection.connections) - len(self._closing) > self.most:
            self._close(self._least_trusted(connection))

    def give_to(self, owner: str | None, connection: GuardedConnection) -> bool:
        """Note whose token came over a connection, None for nobody's; False when he holds too many connections."""
        if connection.transport.is_closing():  # it may have ended while its request was looked at
            return True
        self.remove(connection)
        connection.owner = owner
        if owner is None:
            self._strangers[connection] = None
            if connection.network:
                self._by_address.setdefault(connection.network, OrderedDict())[connection] = None
            return True
        own = self._by_owner.setdefault(owner, OrderedDict())
        own[connection] = None
        if len(own) <= max(1, int(self.most * limits.WORKSPACE_SHARE)):
            return True
        resting = next((one for one in own if one.rests), None)
        if resting is not None:
            self._close(resting)
        return resting is not None

    def remove(self, connection: GuardedConnection) -> None:
        """Forget a connection."""
        self._closing.discard(connection)
        self._strangers.pop(connection, None)
        for groups, name in ((self._by_address, connection.network), (self._by_owner, connection.owner or "")):
            group = groups.get(name)
            if group is not None:
                group.pop(connection, None)
                if not group:
                    del groups[name]

    def _least_trusted(self, newest: GuardedConnection) -> GuardedConnection:
        """Return which connection to close: the oldest stranger, else one of the owner with the most connections."""
        oldest = next(iter(self._strangers))
        if oldest is not newest:
            return oldest
        own = max(self._by_owner.values(), key=len, default=OrderedDict())
        resting = (one for one in own if one.rests)
        unfinished = (one for one in own if one.awaits_body)
        return next(resting, None) or next(unfinished, newest)

    def _close(self, connection: GuardedConnection) -> None:
        self.remove(connection)
        self._closing.add(connection)
        connection.transport.abort()


class GuardedConnection(HeaderLimitProtocol):
    """A connection that knows for what it waits, and who holds it."""

    def __init__(self, *args: Any, table: ConnectionTable, **more: Any) -> None:
        super().__init__(*args, **more)
        self._table = table
        self.owner: str | None = None
        """Whose token came with the last request; None for a stranger."""
        self.address = ""
        self.network = ""
        """Together with which addresses it is counted; empty for a proxy."""
        self._body_complete = False
        self._bytes_before = self._rest_bytes = 0
        """Bytes of the current body: before it was timed, and after its answer."""
        self._body_since = self._answered_at = self._blocked_at = 0.0

    @property
    def waits_for_head(self) -> bool:
        """Whether a request has begun and its head is not complete, or none was ever begun."""
        return self.in_head or self.cycle is None

    @property
    def rests(self) -> bool:
        """Whether it has answered everything, and the next request has not begun."""
        return not self.in_head and self.cycle is not None and self.cycle.response_complete

    @property
    def awaits_body(self) -> bool:
        """Whether the rest of a body is to come, which the host itself does not hold back."""
        return not self.waits_for_head and not self._body_complete and not self.flow.read_paused

    def belongs_to(self, owner: str | None) -> bool:
        """Note whose token came with a request, None for nobody's; False when he holds too many connections."""
        return self._table.give_to(owner, self)

    def is_late(self, now: float) -> bool:
        """Whether what it waits for should have come by now. What the host itself holds back is not late."""
        if self.waits_for_head:
            return now - self.head_since > limits.HEAD_SECONDS
        if self.flow.write_paused:
            return now - self._blocked_at > limits.UNREAD_ANSWER_SECONDS
        if self.rests and self._body_complete:
            return now - max(self._answered_at, self.heard_at) > limits.KEEP_ALIVE_SECONDS + 1
        if self.rests:
            return now - self._answered_at > limits.REST_SECONDS or self._rest_bytes > limits.MAX_BODY_BYTES
        if not self.awaits_body:
            return False
        took = now - self._body_since
        too_slow = (
            took > limits.BODY_GRACE_SECONDS and self.body_bytes - self._bytes_before < took * limits.MIN_BODY_RATE
        )
        return too_slow or took > limits.BODY_SECONDS or now - self.heard_at > limits.BODY_IDLE_SECONDS

    def allow_for_waiting(self, now: float) -> None:
        """Begin to time the body anew while the host itself holds it back."""
        if self.flow.read_paused:
            self._body_since, self._bytes_before, self.heard_at = now, self.body_bytes, now

    def connection_made(self, transport: Any) -> None:
        """Begin to wait for a request."""
        super().connection_made(transport)
        self.head_since = self.heard_at = self.loop.time()
        self.address = self.client[0] if self.client else ""
        self._table.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._table.remove(self)
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        """Leave the connection to the protocol of its socket, whose pages ask for a session themselves."""
        self._table.remove(self)
        super().handle_websocket_upgrade()

    def pause_writing(self) -> None:
        """Note since when the caller has not read on."""
        self._blocked_at = self.loop.time()
        super().pause_writing()

    def on_message_begin(self) -> None:
        """Start a new request."""
        super().on_message_begin()
        self._body_complete = False
        self._bytes_before = self._rest_bytes = 0
        scope: Any = self.scope
        scope[CONNECTION] = self

    def on_headers_complete(self) -> None:
        """Begin to time the body."""
        self._body_since = self.heard_at
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Pass on a part of the body; what comes after the answer is only taken in."""
        if self.cycle is not None and self.cycle.response_complete:
            self._rest_bytes += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Finish the request."""
        self._body_complete = True
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Begin to rest."""
        self._answered_at = self.loop.time()
        super().on_response_complete()


def close_late(connections: Iterable[asyncio.Protocol], now: float) -> int:
    """Close the connections whose request is late; return how many."""
    guarded = [connection for connection in connections if isinstance(connection, GuardedConnection)]
    for connection in guarded:
        connection.allow_for_waiting(now)
    late = [connection for connection in guarded if connection.is_late(now)]
    for connection in late:
        connection.transport.abort()
    return len(late)


def network_of(address: str) -> str:
    """Return what counts as one address: of IPv6 the network that one subscriber has."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    return address if parsed.version == 4 else str(ip_network((parsed, 64), strict=False))


def is_among(addresses: str) -> Callable[[str], bool]:
    """Return what says of an address whether it is one of these, or in one of these networks."""
    networks = [ip_network(text.strip(), strict=False) for text in addresses.split(",") if text.strip()]

    def among(address: str) -> bool:
        try:
            parsed = ip_address(address)
        except ValueError:
            return False
        return any(parsed in network for network in networks)

    return among


def max_connections() -> int:
    """Return how many connections the limit of open files allows."""
    try:
        import resource
    except ImportError:  # there is no such limit on Windows
        return limits.MAX_CONNECTIONS
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if files == resource.RLIM_INFINITY:
        return limits.MAX_CONNECTIONS
    return max(64, min(files - limits.OTHER_FILES, limits.MAX_CONNECTIONS))
