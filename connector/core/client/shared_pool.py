"""One connection pool for all asynchronous clients of a base URL, so that thousands of API keys share connections.

A pool belongs to the event loop in which it is used. It is closed with the last client that has used it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import httpcore

from connector.core.client import transport
from connector.core.credential import Credential


@dataclass(slots=True, eq=False)
class _Shared:
    pool: httpcore.AsyncConnectionPool
    clients: int = 0


# Connections know nothing of API keys: these are headers of the requests.
_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, _Shared]] = WeakKeyDictionary()


class SharedPool:
    """A client's part in the pool of its base URL. It may be used again after it was closed."""

    def __init__(self, credential: Credential) -> None:
        self._credential = credential
        self._shared: _Shared | None = None

    async def handle_async_request(self, request: httpcore.Request) -> httpcore.Response:
        """Send a request on one of the shared connections."""
        shared = self._shared or self._join()
        return await shared.pool.handle_async_request(request)

    async def aclose(self) -> None:
        """Leave the pool, and close it if nobody else uses it."""
        shared, self._shared = self._shared, None
        if shared is None:
            return
        shared.clients -= 1
        if shared.clients == 0:
            here = _by_loop.get(asyncio.get_running_loop(), {})
            if here.get(self._credential.base_url) is shared:
                del here[self._credential.base_url]
            await shared.pool.aclose()

    def _join(self) -> _Shared:
        here = _by_loop.setdefault(asyncio.get_running_loop(), {})
        shared = here.get(self._credential.base_url)
        if shared is None:
            options = transport.pool_options(self._credential)
            shared = here[self._credential.base_url] = _Shared(httpcore.AsyncConnectionPool(**options))
        shared.clients += 1
        self._shared = shared
        return shared
