"""The asynchronous client."""

from __future__ import annotations

import asyncio
import time
from types import TracebackType

import httpx

from connector.core.client import transport
from connector.core.client.call import Call, prepare
from connector.core.client.exchange import Reply, Send, Wait, exchange
from connector.core.client.shared import KeyState, key_state
from connector.core.client.verdict import Answer, Lost
from connector.core.clock import Clock
from connector.core.credential import Credential


class AsyncClient:
    """Talks to the service under one credential. Build it once, use it for every call, close it at the end."""

    def __init__(self, credential: Credential, *, clock: Clock | None = None, state: KeyState | None = None) -> None:
        self.credential = credential
        self.clock = clock or Clock()
        self.state = state or key_state(credential)
        self._host = transport.host_of(credential)
        self._transport = httpx.AsyncHTTPTransport(**transport.settings(credential))
        self.closed = False

    async def call(self, call: Call) -> Reply:
        """Sends a call, and again where that is safe; returns the service's answer or raises a `KontorError`."""
        request = prepare(call, self.credential)
        steps = exchange(call, request, self.state, self.clock, host=self._host, secret=self.credential.api_key)
        try:
            step = next(steps)
            while True:
                if isinstance(step, Wait):
                    await asyncio.sleep(self.clock.real(step.seconds))
                    step = steps.send(None)
                else:
                    step = steps.send(await self._send(step))
        except StopIteration as stop:
            reply: Reply = stop.value
            return reply
        finally:
            steps.close()

    async def _send(self, step: Send) -> Answer | Lost:
        request = transport.request(step.request, step.seconds)
        ends = time.monotonic() + step.seconds
        try:
            response = await self._transport.handle_async_request(request)
            try:
                chunks, size = [], 0
                async for chunk in response.aiter_bytes():
                    chunks.append(chunk)
                    size += len(chunk)
                    if size > transport.MOST_BYTES:
                        raise transport.TooLarge
                    if time.monotonic() > ends:
                        raise transport.TooSlow
            finally:
                await response.aclose()
        except (httpx.TransportError, httpx.DecodingError, transport.TooLarge, transport.TooSlow) as error:
            return transport.lost(error)
        return Answer(response.status_code, response.headers, b"".join(chunks))

    async def aclose(self) -> None:
        """Closes the pooled connections."""
        self.closed = True
        await self._transport.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
