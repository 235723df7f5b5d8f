"""The blocking client, for callers without an event loop."""

from __future__ import annotations

import time
from types import TracebackType
from typing import NoReturn

import httpcore

from connector.client import transport
from connector.client.call import Call, PreparedRequest
from connector.client.exchange import Reply, Sender, exchange
from connector.client.key_states import KeyState, key_state
from connector.client.steps import drive
from connector.client.verdict import Answer, TransportFailure
from connector.core.clock import Clock
from connector.core.credential import Credential


class Client:
    """Sends calls under one credential. Create it once, reuse it for every call, close it at the end."""

    def __init__(self, credential: Credential, *, clock: Clock | None = None, state: KeyState | None = None) -> None:
        self.credential = credential
        self.clock = clock or Clock()
        self.state = state or key_state(credential)
        self.sender = Sender(credential, self.clock, self.state)
        self._pool = httpcore.ConnectionPool(**transport.pool_options(credential))
        self.closed = False

    def call(self, call: Call) -> Reply:
        """Send a call, again if it is a read, and return the reply or raise a `KontorError`."""
        return drive(exchange(call, self.sender), self, no_store)

    def transmit(self, request: PreparedRequest, seconds: float) -> Answer | TransportFailure:
        """Send one request, and wait so many seconds for its answer."""
        built = transport.build_request(request, seconds)
        deadline = time.monotonic() + seconds
        try:
            response = self._pool.handle_request(built)
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


def no_store() -> NoReturn:
    """Stand for the database where only calls are sent."""
    raise TypeError("to send a call needs no database")
