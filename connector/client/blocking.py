"""The blocking client, for callers without an event loop."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from types import TracebackType
from typing import NoReturn

import httpx

from connector.client.call import Call, PreparedRequest
from connector.client.exchange import Reply, Sender, exchange
from connector.client.key_states import KeyState, key_state
from connector.client.steps import drive
from connector.client.transport import (
    FAILURES,
    Receiving,
    build_request,
    check_transport,
    client_options,
    failure_of,
)
from connector.client.verdict import Answer, TransportFailure
from connector.core.clock import Clock
from connector.core.credential import Credential


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
