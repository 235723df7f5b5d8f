"""The httpx transport that both clients use: its options, its requests, and what its exceptions mean.

The clients use httpx's transport without httpx's client: that adds cookies, redirects and authentication, none of which
is wanted here, and takes as long as the rest of a call.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterable, Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import httpx

from connector.core.client.call import PreparedRequest
from connector.core.client.verdict import TransportFailure
from connector.core.credential import Credential, is_loopback
from connector.core.messages import quote, say

MAX_REPLY_BYTES = 256 * 1024 * 1024
MAX_CONNECTIONS = 256
"""At most so many at a base URL, for all API keys of a process; who needs one more waits."""
IDLE_SECONDS = 3.0
"""A pooled connection is closed after this. Servers commonly close idle ones after five seconds, and a write sent on a
connection that is being closed would end with an unknown outcome."""

METHODS_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
"""Methods whose requests name the length of their body even when it is empty."""
NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
    httpx.ProxyError,
    httpx.LocalProtocolError,
)


@lru_cache(maxsize=1)
def _ssl_context() -> ssl.SSLContext:
    """Load the certificates once per process: that takes tens of milliseconds."""
    return httpx.create_ssl_context()


def transport_options(credential: Credential) -> dict[str, Any]:
    """Return the constructor arguments of httpx's transports."""
    parts = urlsplit(credential.base_url)
    # Redirects are not followed and every URL is below the base URL: a plain http base needs no certificates.
    verify = _ssl_context() if parts.scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return {
        "verify": verify,
        "proxy": _proxy(parts.scheme, parts.hostname or ""),
        "limits": httpx.Limits(
            max_connections=MAX_CONNECTIONS, max_keepalive_connections=64, keepalive_expiry=IDLE_SECONDS
        ),
    }


def _proxy(scheme: str, host: str) -> str | None:
    """Return the proxy from the environment (`HTTPS_PROXY`, `NO_PROXY` and so on); none for loopback addresses."""
    if is_loopback(host):
        return None
    from urllib.request import getproxies, proxy_bypass

    proxies = getproxies()
    proxy = proxies.get(scheme) or proxies.get("all")
    if not proxy or proxy_bypass(host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def build_request(prepared: PreparedRequest, seconds: float) -> httpx.Request:
    """Build the httpx request, with `seconds` as the timeout of each phase."""
    url, content = _url(prepared.url), prepared.content or b""
    headers = {"host": url.netloc.decode("ascii"), **prepared.headers}
    if content or prepared.method in METHODS_WITH_BODY:
        headers["content-length"] = str(len(content))
    return httpx.Request(
        prepared.method,
        url,
        headers=headers,
        stream=httpx.ByteStream(content),  # as `content`, httpx would read it and build the headers twice
        extensions={"timeout": dict.fromkeys(("connect", "read", "write", "pool"), seconds)},
    )


@lru_cache(maxsize=1024)
def _url(text: str) -> httpx.URL:
    """Parse a URL once: flows request the same URLs repeatedly, and parsing takes as long as a small request."""
    return httpx.URL(text)


def host_of(credential: Credential) -> str:
    """Return the service's host for error messages."""
    return urlsplit(credential.base_url).netloc


def body_of(response: httpx.Response) -> Iterable[bytes]:
    """Return the chunks of a body, decompressed; as they arrive where they are not compressed."""
    stream = response.stream
    return stream if isinstance(stream, httpx.SyncByteStream) and _is_plain(response) else response.iter_bytes()


def async_body_of(response: httpx.Response) -> AsyncIterable[bytes]:
    """Return the same of an asynchronous response."""
    stream = response.stream
    return stream if isinstance(stream, httpx.AsyncByteStream) and _is_plain(response) else response.aiter_bytes()


def _is_plain(response: httpx.Response) -> bool:
    return "content-encoding" not in response.headers and not response.is_stream_consumed


class ReplyTooLarge(Exception):
    """The body exceeds `MAX_REPLY_BYTES`."""


class ReplyTooSlow(Exception):
    """The body is still arriving after the timeout."""


def failure_of(error: Exception) -> TransportFailure:
    """Convert an exception of httpx."""
    if isinstance(error, ReplyTooLarge):
        return TransportFailure(
            sent=True, why=say("reply_too_large", megabytes=MAX_REPLY_BYTES // 1024**2), permanent=True
        )
    sent = not isinstance(error, NEVER_SENT)
    if isinstance(error, httpx.TimeoutException | ReplyTooSlow):
        return TransportFailure(sent, say("why_timeout"))
    if not sent:
        return TransportFailure(sent, quote(str(error)) if str(error) else say("why_no_route"))
    return TransportFailure(sent, say("why_dropped"))
