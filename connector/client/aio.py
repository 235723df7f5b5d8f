"""The asynchronous client."""

from __future__ import annotations

import time
from types import TracebackType

from connector.client import transport
from connector.client.blocking import no_store
from connector.client.call import Call, PreparedRequest
from connector.client.exchange import Reply, Sender, exchange
from connector.client.key_states import KeyState, key_state
from connector.client.shared_pool import SharedPool
from connector.client.steps import drive_async
from connector.client.verdict import Answer, TransportFailure
from connector.core.clock import Clock
from connector.core.credential import Credential


class AsyncClient:
    """Sends calls under one credential. Create it once, reuse it for every call, close it at the end."""

    def __init__(self, credential: Credential, *, clock: Clock | None = None, state: KeyState | None = None) -> None:
        self.credential = credential
        self.clock = clock or Clock()
        self.state = state or key_state(credential)
        self.sender = Sender(credential, self.clock, self.state)
        self._pool = SharedPool(credential)
        self.closed = False

    async def call(self, call: Call) -> Reply:
        """Send a call, again if it is a read, and return the reply or raise a `KontorError`."""
        return await drive_async(exchange(call, self.sender), self, no_store)

    async def transmit(self, request: PreparedRequest, seconds: float) -> Answer | TransportFailure:
        """Send one request, and wait so many seconds for its answer."""
        built = transport.build_request(request, seconds)
        deadline = time.monotonic() + seconds
        try:
            async with self._pool.send(built) as response:
                receiving = transport.Receiving(response, deadline)
                async for chunk in response.aiter_stream():
                    receiving.add(chunk)
        except transport.FAILURES as error:
            return transport.failure_of(error)
        return receiving.answer()

    async def aclose(self) -> None:
        """Close the connections that no other client uses."""
        self.closed = True
        await self._pool.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
