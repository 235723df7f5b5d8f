"""Network backend that resolves a host name once, checks the addresses, and connects to exactly those.

This prevents DNS rebinding: a name cannot resolve to a public address for the check and to a private one for the
connection. TLS still verifies the host name, since only the IP address is replaced.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from ipaddress import ip_address
from typing import Any

import httpcore

from connector.core.messages import say
from connector.durable.sending.address import may_reach

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
MAX_ADDRESSES = 4
"""How many addresses of a name are tried."""


class AddressRefused(Exception):
    """The name resolves to an address that deliveries must not reach."""


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """Resolve a name with the operating system."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class PinnedBackend(httpcore.AsyncNetworkBackend):
    """Connects only to addresses that were checked."""

    def __init__(self, *, allow_private: bool, resolve: Resolve = system_resolver) -> None:
        self._allow_private = allow_private
        self._resolve = resolve
        self._inner = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109  # the signature is httpcore's
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first of the host's addresses that answers; to none of them when one is forbidden."""
        addresses = await self._resolve_allowed(host, port)
        options = list(socket_options or ())
        for last, address in enumerate(addresses, start=1 - len(addresses)):
            try:
                return await self._inner.connect_tcp(address, port, timeout, local_address, options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if last == 0:
                    raise
        raise httpcore.ConnectError("the name has no address")

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Refuse Unix sockets: they belong to this machine."""
        raise AddressRefused(say("send_to_socket").en)

    async def sleep(self, seconds: float) -> None:
        """Sleep."""
        await asyncio.sleep(seconds)

    async def _resolve_allowed(self, host: str, port: int) -> Sequence[str]:
        try:
            found = [str(ip_address(host))]
        except ValueError:
            try:
                found = list(await self._resolve(host, port))
            except (OSError, UnicodeError) as error:
                raise httpcore.ConnectError(f"the name does not resolve: {error}") from None
        for address in found:
            # One forbidden address refuses the name: which one is used must not depend on the order.
            if not may_reach(ip_address(address), allow_private=self._allow_private):
                raise AddressRefused(say("send_to_address", address=address).en)
        return found[:MAX_ADDRESSES]
