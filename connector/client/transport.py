"""What both clients send and receive with: the options of their httpx clients, requests, answers and exceptions."""

from __future__ import annotations

import ssl
import time
from collections.abc import AsyncIterator, Iterator
from functools import lru_cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any
from urllib.parse import urlsplit

import httpx

from connector.client.call import PreparedRequest
from connector.client.verdict import Answer, TransportFailure
from connector.core.errors import InputError
from connector.core.messages import quote, say
from connector.core.service.credential import Credential, is_loopback

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
