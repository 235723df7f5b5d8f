"""The blocking client, for callers without an event loop."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import wait
from types import TracebackType

import httpcore

from connector.client import transport
from connector.client.call import Call, prepare
from connector.client.exchange import Await, BeforeSend, Reply, Send, Wait, exchange
from connector.client.key_states import KeyState, key_state
from connector.client.verdict import Answer, TransportFailure
from connector.core.clock import Clock
from connector.core.credential import Credential
from connector.core.wire import BELIEVED


class InterruptedWaiting(KeyboardInterrupt):
    """Interrupted while the call waited to be sent, first or again: the service has accepted nothing of it."""


class Client:
    """Sends calls under one credential. Create it once, reuse it for every call, close it at the end."""

    def __init__(self, credential: Credential, *, clock: Clock | None = None, state: KeyState | None = None) -> None:
        self.credential = credential
        self.clock = clock or Clock()
        self.state = state or key_state(credential)
        self._host = transport.host_of(credential)
        self._pool = httpcore.ConnectionPool(**transport.pool_options(credential))
        self.closed = False

    def call(self, call: Call, before_send: Callable[[], object] | None = None) -> Reply:
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
        try:
            step = next(steps)
            while True:
                if isinstance(step, Wait | Await):
                    self._wait(step)
                    step = steps.send(None)
                elif isinstance(step, BeforeSend):
                    assert before_send is not None
                    before_send()
                    step = steps.send(None)
                else:
                    step = steps.send(self._send(step))
        except StopIteration as stop:
            reply: Reply = stop.value
            return reply
        finally:
            steps.close()

    def _wait(self, step: Wait | Await) -> None:
        try:
            if isinstance(step, Wait):
                time.sleep(self.clock.real(step.seconds))
            else:
                wait([step.future], timeout=step.seconds)
        except KeyboardInterrupt:
            raise InterruptedWaiting from None

    def _send(self, step: Send) -> Answer | TransportFailure:
        request = transport.build_request(step.request, step.seconds)
        deadline = time.monotonic() + step.seconds
        try:
            response = self._pool.handle_request(request)
            try:
                receiving = transport.Receiving(response, deadline)
                for chunk in response.iter_stream():
                    receiving.add(chunk)
            finally:
                response.close()
        except transport.FAILURES as error:
            return transport.failure_of(error)
        return receiving.answer()

    def close(self) -> None:
        """Close the pooled connections."""
        self.closed = True
        self._pool.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
