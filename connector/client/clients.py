"""The clients of the service, a blocking one and an asynchronous one, and what both send and receive with httpx.

The asynchronous clients of a base URL share one httpx client in an event loop, whatever their API keys.
"""

from __future__ import annotations

import asyncio
import ssl
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing, closing
from dataclasses import dataclass
from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import TracebackType
from typing import Any, NoReturn
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import httpx

from connector.client.call import Call, PreparedRequest
from connector.client.exchange import Reply, Sender, exchange
from connector.client.key_states import KeyState, key_state
from connector.client.steps import drive, drive_async
from connector.client.verdict import Answer, TransportFailure
from connector.core.errors import InputError
from connector.core.messages import quote, say
from connector.core.service.credential import Credential, is_loopback
from connector.core.timing import Clock

MAX_REPLY_BYTES = 256 * 1024 * 1024
MAX_CONNECTIONS = 256
"""At most so many at a base URL; who needs one more waits."""
IDLE_SECONDS = 3.0
"""A pooled connection is closed after this. Servers commonly close idle ones after five seconds, and a write sent on a
connection that is being closed would end with an unknown outcome."""
ENCODINGS = ("gzip", "deflate")
"""What requests accept. A body in any other encoding, or in several, is left as it is."""

NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
    httpx.ProxyError,
    httpx.LocalProtocolError,
)
"""Raised before the first byte of a request has left; after any other exception the service may have acted."""


class ReplyTooLarge(Exception):
    """The body exceeds `MAX_REPLY_BYTES`."""


class ReplyTooSlow(Exception):
    """The body is still arriving after the timeout."""


FAILURES = (httpx.RequestError, httpx.InvalidURL, ReplyTooLarge, ReplyTooSlow)
"""All that httpx raises while it sends and receives: `InvalidURL` for a redirect that leads nowhere."""


@lru_cache(maxsize=1)
def ssl_context() -> ssl.SSLContext:
    """Load the certificates once per process: that takes tens of milliseconds."""
    return httpx.create_ssl_context()


def nothing_of_others() -> dict[str, Any]:
    """Return the arguments of an httpx client that keeps no cookies and takes no authentication from a URL."""
    return {"auth": httpx.Auth(), "cookies": CookieJar(DefaultCookiePolicy(allowed_domains=()))}


def client_options(
    credential: Credential, transport: httpx.BaseTransport | httpx.AsyncBaseTransport | None = None
) -> dict[str, Any]:
    """Return the constructor arguments of an httpx client, whose connections serve many API keys.

    It is built on the caller's transport if one is given.
    """
    options = nothing_of_others()
    if transport is not None:
        return {**options, "transport": transport, "trust_env": False}
    parts = urlsplit(credential.base_url)
    # Redirects are not followed and every URL is below the base URL: a plain http base needs no certificates.
    verify = ssl_context() if parts.scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    limits = httpx.Limits(
        max_connections=MAX_CONNECTIONS, max_keepalive_connections=MAX_CONNECTIONS, keepalive_expiry=IDLE_SECONDS
    )
    # The environment names the proxies (`HTTPS_PROXY`, `NO_PROXY` and so on); none is for loopback addresses.
    return {**options, "verify": verify, "limits": limits, "trust_env": not is_loopback(parts.hostname or "")}


def check_transport(transport: object, kind: type, statement: str) -> None:
    """Raise `InputError` unless the transport that a caller gave is of the kind that the statement needs."""
    if transport is not None and not isinstance(transport, kind):
        wanted, given = f"httpx.{kind.__name__}", type(transport).__name__
        raise InputError(
            say("transport_of_wrong_kind", statement=statement, wanted=wanted, given=given),
            remedy=say("transport_of_wrong_kind_remedy"),
            field="transport",
        )


def build_request(prepared: PreparedRequest, seconds: float) -> httpx.Request:
    """Build the request without a client's own headers and cookies, with `seconds` as the timeout of each phase."""
    return httpx.Request(
        prepared.method,
        prepared.url,
        headers=httpx.Headers(prepared.headers, encoding="utf-8"),
        content=prepared.content,
        extensions={"timeout": httpx.Timeout(seconds).as_dict()},
    )


class Receiving:
    """An answer while its body arrives."""

    def __init__(self, response: httpx.Response, deadline: float) -> None:
        """`deadline`: until when all of it must be there, on the monotonic clock."""
        self._response = response
        self._chunks: list[bytes] = []
        self._size = 0
        if response.headers.get("content-encoding", "").strip().lower() not in ENCODINGS:
            response.headers.pop("content-encoding", None)  # several in a row would have no limit of size
        response.stream = _InTime(response.stream, deadline)

    def add(self, chunk: bytes) -> None:
        """Add what has arrived, decompressed; raise when that is too much."""
        self._chunks.append(chunk)
        self._size += len(chunk)
        if self._size > MAX_REPLY_BYTES:
            raise ReplyTooLarge

    def answer(self) -> Answer:
        """Return the answer, once all of it has arrived."""
        return Answer(self._response.status_code, self._response.headers, b"".join(self._chunks))


class _InTime(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body as it comes from the connection, which need not give a byte when decompressed, and its deadline."""

    def __init__(self, stream: Any, deadline: float) -> None:
        self._stream, self._deadline = stream, deadline

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._stream:
            self._check()
            yield chunk

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._check()
            yield chunk

    def _check(self) -> None:
        if time.monotonic() > self._deadline:
            raise ReplyTooSlow

    def close(self) -> None:
        self._stream.close()

    async def aclose(self) -> None:
        await self._stream.aclose()


def failure_of(error: Exception, *, answered: bool = False) -> TransportFailure:
    """Convert an exception of `FAILURES`; `answered` if the answer had begun, so that the request surely was sent."""
    if isinstance(error, ReplyTooLarge):
        return TransportFailure(
            sent=True, why=say("reply_too_large", megabytes=MAX_REPLY_BYTES // 1024**2), permanent=True
        )
    sent = answered or not isinstance(error, NEVER_SENT)
    if isinstance(error, httpx.TimeoutException | ReplyTooSlow):
        return TransportFailure(sent, say("why_timeout"))
    if not sent:
        return TransportFailure(sent, quote(str(error)) if str(error) else say("why_no_route"))
    return TransportFailure(sent, say("why_dropped"))


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
