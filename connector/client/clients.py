"""The clients of the service: a blocking one, and an asynchronous one for event loops.

The asynchronous client. All of a base URL share one httpx client in an event loop, whatever their API keys.
"""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import aclosing, closing
from dataclasses import dataclass
from types import TracebackType
from typing import NoReturn
from weakref import WeakKeyDictionary

import httpx

from connector.client.call import Call, PreparedRequest
from connector.client.exchange import Reply, Sender, exchange
from connector.client.key_states import KeyState, key_state
from connector.client.steps import drive, drive_async
from connector.client.transport import (
    FAILURES,
    Receiving,
    build_request,
    check_transport,
    client_options,
    failure_of,
)
from connector.client.verdict import Answer, TransportFailure
from connector.core.service.credential import Credential
from connector.core.timing import Clock


class Client:
    """Sends calls under one credential. Create it once, reuse it for every call, close it at the end.

    On a `transport` of the caller, which it does not close, nothing else is used to send.
    """

    def __init__(
        self,
        credential: Credential,
        *,
        clock: Clock | None = None,
        state: KeyState | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        check_transport(transport, httpx.BaseTransport, "with")
        self.credential = credential
        self.clock = clock or Clock()
        self.state = state or key_state(credential)
        self.sender = Sender(credential, self.clock, self.state)
        self._transport = transport
        self._lock = threading.Lock()
        self._http: httpx.Client | None = httpx.Client(**client_options(credential, transport))
        self.closed = False

    def call(self, call: Call) -> Reply:
        """Send a call, again if it is a read, and return the reply or raise a `KontorError`."""
        return drive(exchange(call, self.sender), self, no_store)

    def transmit(self, request: PreparedRequest, seconds: float) -> Answer | TransportFailure:
        """Send one request, and wait so many seconds for its answer."""
        built, http = build_request(request, seconds), self._open()
        deadline = time.monotonic() + seconds
        try:
            response = http.send(built, stream=True)
        except FAILURES as error:
            return failure_of(error)
        try:
            with closing(response):
                receiving = Receiving(response, deadline)
                for chunk in response.iter_bytes():
                    receiving.add(chunk)
        except FAILURES as error:
            return failure_of(error, answered=True)
        return receiving.answer()

    def close(self) -> None:
        """Close the pooled connections. Whoever still uses the client opens new ones."""
        self.closed = True
        with self._lock:
            http, self._http = self._http, None
        if http is not None and self._transport is None:
            http.close()

    def _open(self) -> httpx.Client:
        with self._lock:
            if self._http is None:
                self._http = httpx.Client(**client_options(self.credential, self._transport))
            return self._http

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def no_store() -> NoReturn:
    """Stand for the database where only calls are sent."""
    raise TypeError("to send a call needs no database")


@dataclass(slots=True, eq=False)
class _Shared:
    """The httpx client of a base URL, closed with the last that uses it."""

    http: httpx.AsyncClient
    users: int = 0


# Connections know nothing of API keys, which are headers of the requests; they belong to an event loop.
_by_loop: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, _Shared]] = WeakKeyDictionary()


class AsyncClient:
    """Sends calls under one credential. Create it once, reuse it for every call, close it at the end.

    On a `transport` of the caller, which it does not close, it shares nothing with other clients.
    """

    def __init__(
        self,
        credential: Credential,
        *,
        clock: Clock | None = None,
        state: KeyState | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        check_transport(transport, httpx.AsyncBaseTransport, "async with")
        self.credential = credential
        self.clock = clock or Clock()
        self.state = state or key_state(credential)
        self.sender = Sender(credential, self.clock, self.state)
        self._own = None if transport is None else httpx.AsyncClient(**client_options(credential, transport))
        self._shared: _Shared | None = None
        self.closed = False

    async def call(self, call: Call) -> Reply:
        """Send a call, again if it is a read, and return the reply or raise a `KontorError`."""
        return await drive_async(exchange(call, self.sender), self, no_store)

    async def transmit(self, request: PreparedRequest, seconds: float) -> Answer | TransportFailure:
        """Send one request, and wait so many seconds for its answer."""
        built, http = build_request(request, seconds), self._own or self._join().http
        deadline = time.monotonic() + seconds
        try:
            response = await http.send(built, stream=True)
        except FAILURES as error:
            return failure_of(error)
        try:
            async with aclosing(response):
                receiving = Receiving(response, deadline)
                async for chunk in response.aiter_bytes():
                    receiving.add(chunk)
        except FAILURES as error:
            return failure_of(error, answered=True)
        return receiving.answer()

    async def aclose(self) -> None:
        """Close the connections that no other client uses. Whoever still uses this one opens new ones."""
        self.closed = True
        shared, self._shared = self._shared, None
        if shared is None:
            return
        shared.users -= 1
        if shared.users == 0:
            here = _by_loop.get(asyncio.get_running_loop(), {})
            if here.get(self.credential.base_url) is shared:
                del here[self.credential.base_url]
            await shared.http.aclose()

    def _join(self) -> _Shared:
        """Use the httpx client of the base URL from now on."""
        if self._shared is None:
            here, url = _by_loop.setdefault(asyncio.get_running_loop(), {}), self.credential.base_url
            if url not in here:
                here[url] = _Shared(httpx.AsyncClient(**client_options(self.credential)))
            self._shared = here[url]
            self._shared.users += 1
        return self._shared

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
