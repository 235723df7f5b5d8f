"""Opens connections to checked addresses only: a name is resolved once, judged, and that very address is dialled.

So a name that resolves to a public address when it is checked and to a private one when it is used gains nothing. TLS
still proves the name, since only the dialled address is replaced.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from ipaddress import ip_address
from typing import Any

import httpcore

from connector.durable.outbox.address import may_reach

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
MOST_ADDRESSES = 4
"""How many addresses of one name are tried."""


class AddressRefused(Exception):
    """The name leads to an address that deliveries must not reach."""


async def resolve_by_system(host: str, port: int) -> Sequence[str]:
    """What the machine's resolver says."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class PinnedBackend(httpcore.AsyncNetworkBackend):
    """Resolves, judges, then dials what was judged."""

    def __init__(self, *, allow_private: bool, resolve: Resolve = resolve_by_system) -> None:
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
        """Dials the first of the host's addresses that answers; none of them when one is forbidden."""
        addresses = await self._checked(host, port)
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
        """Never: a socket of this machine is no subscriber."""
        raise AddressRefused("a socket of this machine")

    async def sleep(self, seconds: float) -> None:
        """Lets time pass."""
        await asyncio.sleep(seconds)

    async def _checked(self, host: str, port: int) -> Sequence[str]:
        try:
            found = [str(ip_address(host))]
        except ValueError:
            try:
                found = list(await self._resolve(host, port))
            except (OSError, UnicodeError) as error:
                raise httpcore.ConnectError(f"the name does not resolve: {error}") from None
        for address in found:
            # One forbidden address taints the name: which of them is dialled must not be a matter of luck.
            if not may_reach(ip_address(address), allow_private=self._allow_private):
                raise AddressRefused(f"the name leads to {address}")
        return found[:MOST_ADDRESSES]
