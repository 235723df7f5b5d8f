"""The asynchronous client."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from types import TracebackType

from connector.client import transport
from connector.client.call import Call, prepare
from connector.client.exchange import Await, BeforeSend, Reply, Send, Wait, exchange
from connector.client.key_states import KeyState, key_state
from connector.client.shared_pool import SharedPool
from connector.client.verdict import Answer, TransportFailure
from connector.core.clock import Clock
from connector.core.credential import Credential
from connector.core.wire import BELIEVED


class CancelledWaiting(asyncio.CancelledError):
    """Cancelled while the call waited to be sent, first or again: the service has accepted nothing of it."""


class AsyncClient:
    """Sends calls under one credential. Create it once, reuse it for every call, close it at the end."""

    def __init__(self, credential: Credential, *, clock: Clock | None = None, state: KeyState | None = None) -> None:
        self.credential = credential
        self.clock = clock or Clock()
        self.state = state or key_state(credential)
        self._host = transport.host_of(credential)
        self._pool = SharedPool(credential)
        self.closed = False
        self.calls_in_progress = 0

    async def call(self, call: Call, before_send: Callable[[], Awaitable[object]] | None = None) -> Reply:
        """Send a call, retry it if it is a read, and return the reply or raise a `KontorError`.

        `before_send` runs once the call may be sent, right before the first byte; if it raises, nothing is sent.
        """
        request = prepare(call, self.credential)
        steps = exchange(
            call,
            request,
            self.state,
            self.clock,
            host=self._host,
            secret=self.credential.api_key,
            believed=self.credential.wire[BELIEVED],
            before_send=before_send is not None,
        )
        self.calls_in_progress += 1
        try:
            step = next(steps)
            while True:
                if isinstance(step, Wait | Await):
                    await self._wait(step)
                    step = steps.send(None)
                elif isinstance(step, BeforeSend):
                    assert before_send is not None
                    await before_send()
                    step = steps.send(None)
                else:
                    step = steps.send(await self._send(step))
        except StopIteration as stop:
            reply: Reply = stop.value
            return reply
        finally:
            self.calls_in_progress -= 1
            steps.close()

    async def _wait(self, step: Wait | Await) -> None:
        try:
            if isinstance(step, Wait):
                await asyncio.sleep(self.clock.real(step.seconds))
            else:
                await asyncio.wait([asyncio.wrap_future(step.future)], timeout=step.seconds)
        except asyncio.CancelledError as error:
            raise CancelledWaiting(*error.args) from None

    async def _send(self, step: Send) -> Answer | TransportFailure:
        request = transport.build_request(step.request, step.seconds)
        deadline = time.monotonic() + step.seconds
        try:
            async with self._pool.send(request) as response:
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
