"""What both clients send and receive with: httpcore's connection pools, their requests, answers and exceptions.

They use the pools of httpx without httpx itself: its client adds cookies, redirects and authentication, none of which
is wanted here, and it converts every request and answer once more, which takes as long as the rest of a call.
"""

from __future__ import annotations

import ssl
import time
import zlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import unquote, urlsplit

import httpcore
import httpx

from connector.client.call import PreparedRequest
from connector.client.verdict import Answer, TransportFailure
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
    httpcore.ConnectError,
    httpcore.ConnectTimeout,
    httpcore.PoolTimeout,
    httpcore.UnsupportedProtocol,
    httpcore.ProxyError,
    httpcore.LocalProtocolError,
)
PHASES = ("connect", "read", "write", "pool")


class ReplyTooLarge(Exception):
    """The body exceeds `MAX_REPLY_BYTES`."""


class ReplyTooSlow(Exception):
    """The body is still arriving after the timeout."""


FAILURES = (
    *(httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError, httpcore.ProxyError),
    *(httpcore.UnsupportedProtocol, zlib.error, ReplyTooLarge, ReplyTooSlow),
)
"""All that sending and receiving may raise."""


@lru_cache(maxsize=1)
def _ssl_context() -> ssl.SSLContext:
    """Load the certificates once per process: that takes tens of milliseconds."""
    return httpx.create_ssl_context()


def pool_options(credential: Credential, most: int = MAX_CONNECTIONS) -> dict[str, Any]:
    """Return the constructor arguments of a pool of httpcore with at most so many connections."""
    parts = urlsplit(credential.base_url)
    # Redirects are not followed and every URL is below the base URL: a plain http base needs no certificates.
    verify = _ssl_context() if parts.scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return {
        "ssl_context": verify,
        "proxy": _proxy(parts.scheme, parts.hostname or ""),
        "max_connections": most,
        "max_keepalive_connections": most,
        "keepalive_expiry": IDLE_SECONDS,
    }


def _proxy(scheme: str, host: str) -> httpcore.Proxy | None:
    """Return the proxy from the environment (`HTTPS_PROXY`, `NO_PROXY` and so on); none for loopback addresses."""
    if is_loopback(host):
        return None
    from urllib.request import getproxies, proxy_bypass

    proxies = getproxies()
    proxy = proxies.get(scheme) or proxies.get("all")
    if not proxy or proxy_bypass(host):
        return None
    parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}")
    auth = None if parts.username is None else (unquote(parts.username), unquote(parts.password or ""))
    return httpcore.Proxy(parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl(), auth=auth)


def build_request(prepared: PreparedRequest, seconds: float) -> httpcore.Request:
    """Build the request, with `seconds` as the timeout of each phase."""
    (url, host), content = _url_and_host(prepared.url), prepared.content or b""
    headers = [(b"host", host), *((name.encode("ascii"), text.encode()) for name, text in prepared.headers.items())]
    if content or prepared.method in METHODS_WITH_BODY:
        headers.append((b"content-length", b"%d" % len(content)))
    timeouts = dict.fromkeys(PHASES, seconds)
    return httpcore.Request(prepared.method, url, headers=headers, content=content, extensions={"timeout": timeouts})


@lru_cache(maxsize=1024)
def _url_and_host(text: str) -> tuple[httpcore.URL, bytes]:
    """Parse a URL once: flows request the same URLs repeatedly, and parsing takes as long as a small request."""
    url = httpx.URL(text)
    parts = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    return parts, url.netloc


class Receiving:
    """An answer while its body arrives."""

    def __init__(self, response: httpcore.Response, deadline: float) -> None:
        """`deadline`: until when all of it must be there, on the monotonic clock."""
        self._status, self._headers, self._deadline = response.status, _headers(response.headers), deadline
        self._decompress = _Decompressing(self._headers.get("content-encoding", "")).add
        self._chunks: list[bytes] = []
        self._size = 0

    def add(self, chunk: bytes) -> None:
        """Add what has arrived; raise when that is too much or too late."""
        chunk = self._decompress(chunk)
        self._chunks.append(chunk)
        self._size += len(chunk)
        if self._size > MAX_REPLY_BYTES:
            raise ReplyTooLarge
        if time.monotonic() > self._deadline:
            raise ReplyTooSlow

    def answer(self) -> Answer:
        """Return the answer, once all of it has arrived."""
        return Answer(self._status, self._headers, b"".join(self._chunks))


class _Decompressing:
    """The body of an answer in the encoding that it names; another than those asked for is left as it is."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding.strip().lower()
        self._begun = b""
        """What came before it is clear how the data is compressed."""
        self._stream: Any = None

    def add(self, chunk: bytes) -> bytes:
        """Return what a chunk holds."""
        if self._encoding not in ("gzip", "deflate") or not chunk:
            return chunk
        if self._stream is None:
            chunk = self._begun = self._begun + chunk
            if len(chunk) < 2:
                return b""
            self._stream = zlib.decompressobj(zlib.MAX_WBITS | 32 if _has_header(chunk) else -zlib.MAX_WBITS)
        decompressed: bytes = self._stream.decompress(chunk)
        return decompressed


def _has_header(chunk: bytes) -> bool:
    """Whether compressed data begins as gzip or zlib do; some servers send `deflate` without that."""
    return chunk[:1] == b"\x1f" or (chunk[0] & 0x0F == zlib.DEFLATED and int.from_bytes(chunk[:2]) % 31 == 0)


def _headers(raw: Iterable[tuple[bytes, bytes]]) -> Mapping[str, str]:
    """Return the headers by their names in lower case; those of the same name are joined."""
    found: dict[str, str] = {}
    for name, value in raw:
        key, text = name.decode("latin-1").lower(), value.decode("latin-1")
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def failure_of(error: Exception) -> TransportFailure:
    """Convert an exception of `FAILURES`."""
    if isinstance(error, ReplyTooLarge):
        return TransportFailure(
            sent=True, why=say("reply_too_large", megabytes=MAX_REPLY_BYTES // 1024**2), permanent=True
        )
    sent = not isinstance(error, NEVER_SENT)
    if isinstance(error, httpcore.TimeoutException | ReplyTooSlow):
        return TransportFailure(sent, say("why_timeout"))
    if not sent:
        return TransportFailure(sent, quote(str(error)) if str(error) else say("why_no_route"))
    return TransportFailure(sent, say("why_dropped"))
