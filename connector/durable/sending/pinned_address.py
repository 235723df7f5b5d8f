"""Transport of httpx that resolves a host name once, checks the addresses, and connects to exactly those.

This prevents DNS rebinding: a name cannot resolve to a public address for the check and to a private one for the
connection. TLS still verifies the host name, since only the IP address is replaced. It is built on httpcore, the layer
below httpx, because only httpcore lets one replace what opens connections.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any

import httpcore
import httpx

from connector.client.clients import ssl_context
from connector.core.messages import say
from connector.durable.sending.address import may_reach

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
MAX_ADDRESSES = 4
"""How many addresses of a name are tried."""
MAX_IDLE_CONNECTIONS, IDLE_SECONDS = 64, 3.0


class AddressRefused(Exception):
    """The name resolves to an address that deliveries must not reach."""


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """Resolve a name with the operating system."""
    infos = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in infos))


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
            addresses = [str(ip_address(host))]
        except ValueError:
            try:
                addresses = list(await self._resolve(host, port))
            except (OSError, UnicodeError) as error:
                raise httpcore.ConnectError(f"the name does not resolve: {error}") from None
        for address in addresses:
            # One forbidden address refuses the name: which one is used must not depend on the order.
            if not may_reach(ip_address(address), allow_private=self._allow_private):
                raise AddressRefused(say("send_to_address", address=address).en)
        return addresses[:MAX_ADDRESSES]


class PinnedTransport(httpx.AsyncBaseTransport):
    """Sends requests of httpx over connections of a `PinnedBackend`, through no proxy."""

    def __init__(self, *, allow_private: bool, resolve: Resolve = system_resolver) -> None:
        self.backend = PinnedBackend(allow_private=allow_private, resolve=resolve)
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=ssl_context(),
            max_connections=None,
            max_keepalive_connections=MAX_IDLE_CONNECTIONS,
            keepalive_expiry=IDLE_SECONDS,
            network_backend=self.backend,
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send one request; its answer's body is read as it arrives."""
        url = httpcore.URL(
            scheme=request.url.raw_scheme,
            host=request.url.raw_host,
            port=request.url.port,
            target=request.url.raw_path,
        )
        with _errors_of_httpx():
            response = await self._pool.handle_async_request(
                httpcore.Request(
                    request.method,
                    url,
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        return httpx.Response(
            response.status, headers=response.headers, stream=_Body(response), extensions=response.extensions
        )

    async def aclose(self) -> None:
        """Close the pooled connections."""
        await self._pool.aclose()


class _Body(httpx.AsyncByteStream):
    def __init__(self, response: httpcore.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _errors_of_httpx():
            async for chunk in self._response.aiter_stream():
                yield chunk

    async def aclose(self) -> None:
        with _errors_of_httpx():
            await self._response.aclose()


@contextmanager
def _errors_of_httpx() -> Iterator[None]:
    """Raise the exceptions of httpcore as those of httpx, which have the same names."""
    try:
        yield
    except (
        httpcore.TimeoutException,
        httpcore.NetworkError,
        httpcore.ProtocolError,
        httpcore.UnsupportedProtocol,
    ) as error:
        raised: type[httpx.TransportError] = getattr(httpx, type(error).__name__)
        raise raised(str(error)) from error
