"""All asynchronous clients of a base URL share connections, whatever their API keys.

They belong to the event loop in which they are used, and are closed with the last client that has used them.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import httpcore

from connector.client import transport
from connector.core.credential import Credential

POOL_SIZE = 8
"""Connections of one of httpcore's pools, which compares them all with each other whenever a request begins or ends."""


@dataclass(slots=True, eq=False)
class _Pool:
    connections: httpcore.AsyncConnectionPool
    requests: int = 0
    """Those sent and not answered in full."""
    used_at: float = 0.0


class _Pools:
    """The pools of one base URL. A request goes to the first that has room, so that few connections carry most."""

    def __init__(self, credential: Credential) -> None:
        self._options = transport.pool_options(credential, POOL_SIZE)
        self._pools: list[_Pool] = []
        self.clients = 0

    @asynccontextmanager
    async def send(self, request: httpcore.Request) -> AsyncIterator[httpcore.Response]:
        """Send a request, and close its response at the end."""
        pool = next((one for one in self._pools if one.requests < POOL_SIZE), None) or self._another()
        pool.requests += 1
        try:
            response = await pool.connections.handle_async_request(request)
            try:
                yield response
            finally:
                await response.aclose()
        finally:
            pool.requests -= 1
            pool.used_at = time.monotonic()
            await self._let_go(pool.used_at)

    def _another(self) -> _Pool:
        if len(self._pools) * POOL_SIZE >= transport.MAX_CONNECTIONS:
            return min(self._pools, key=lambda pool: pool.requests)
        self._pools.append(_Pool(httpcore.AsyncConnectionPool(**self._options)))
        return self._pools[-1]

    async def _let_go(self, now: float) -> None:
        """Close the last pool if it has long been idle: httpcore closes idle connections only when a pool is used."""
        if self._pools and not self._pools[-1].requests and now - self._pools[-1].used_at > transport.IDLE_SECONDS:
            await self._pools.pop().connections.aclose()

    async def aclose(self) -> None:
        """Close all connections."""
        pools, self._pools = self._pools, []
        for pool in pools:
            await pool.connections.aclose()


# Connections know nothing of API keys: these are headers of the requests.
_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, _Pools]] = WeakKeyDictionary()


class SharedPool:
    """A client's part in the connections of its base URL. It may be used again after it was closed."""

    def __init__(self, credential: Credential) -> None:
        self._credential = credential
        self._shared: _Pools | None = None

    def send(self, request: httpcore.Request) -> AbstractAsyncContextManager[httpcore.Response]:
        """Send a request on one of the shared connections."""
        return (self._shared or self._join()).send(request)

    async def aclose(self) -> None:
        """Leave them, and close them if nobody else uses them."""
        shared, self._shared = self._shared, None
        if shared is None:
            return
        shared.clients -= 1
        if shared.clients == 0:
            here = _by_loop.get(asyncio.get_running_loop(), {})
            if here.get(self._credential.base_url) is shared:
                del here[self._credential.base_url]
            await shared.aclose()

    def _join(self) -> _Pools:
        here = _by_loop.setdefault(asyncio.get_running_loop(), {})
        shared = here.get(self._credential.base_url)
        if shared is None:
            shared = here[self._credential.base_url] = _Pools(self._credential)
        shared.clients += 1
        self._shared = shared
        return shared
