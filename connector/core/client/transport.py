"""What both clients know of httpx: how its transport is built once, how it is asked, and what its exceptions mean.

The clients use httpx's transport without its client on top. That one adds cookies, redirects and sign-in, none of which
may happen here, and takes as long as the rest of a call together.
"""

from __future__ import annotations

import ssl
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import httpx

from connector.core.client.call import Prepared
from connector.core.client.verdict import Lost
from connector.core.credential import Credential, is_loopback
from connector.core.messages import quote, say

MOST_BYTES = 256 * 1024 * 1024
IDLE_SECONDS = 3.0
"""A pooled connection is given up after this. Servers commonly close idle ones after five seconds, and a write that
leaves on a connection that is just being closed ends with an unknown outcome for no reason."""

NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.UnsupportedProtocol,
    httpx.ProxyError,
    httpx.LocalProtocolError,
)


@lru_cache(maxsize=1)
def _trust() -> ssl.SSLContext:
    """Reading the certificates takes tens of milliseconds: once a process."""
    return httpx.create_ssl_context()


def settings(credential: Credential) -> dict[str, Any]:
    """How either kind of transport is built."""
    parts = urlsplit(credential.base_url)
    # Redirects are not followed and every URL is below the base URL: a plain http base needs no certificates.
    verify = _trust() if parts.scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return {
        "verify": verify,
        "proxy": _proxy(parts.scheme, parts.hostname or ""),
        "limits": httpx.Limits(max_connections=64, max_keepalive_connections=32, keepalive_expiry=IDLE_SECONDS),
    }


def _proxy(scheme: str, host: str) -> str | None:
    """The proxy that the environment asks for (`HTTPS_PROXY`, `NO_PROXY` and so on); never for this very machine."""
    if is_loopback(host):
        return None
    from urllib.request import getproxies, proxy_bypass

    proxies = getproxies()
    proxy = proxies.get(scheme) or proxies.get("all")
    if not proxy or proxy_bypass(host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def request(prepared: Prepared, seconds: float) -> httpx.Request:
    """The request as the transport takes it; no part of it may take longer than `seconds`."""
    return httpx.Request(
        prepared.method,
        _url(prepared.url),
        headers=prepared.headers,
        content=prepared.content,
        extensions={"timeout": dict.fromkeys(("connect", "read", "write", "pool"), seconds)},
    )


@lru_cache(maxsize=1024)
def _url(text: str) -> httpx.URL:
    """Flows ask the same addresses over and over, and reading one takes as long as sending a small request."""
    return httpx.URL(text)


def host_of(credential: Credential) -> str:
    """The service's host as errors name it."""
    return urlsplit(credential.base_url).netloc


class TooLarge(Exception):
    """The answer is larger than any answer should be."""


class TooSlow(Exception):
    """The answer trickles in past its deadline."""


def lost(error: Exception) -> Lost:
    """What an exception of httpx says of the request."""
    if isinstance(error, TooLarge):
        return Lost(sent=True, why=say("reply_too_large", megabytes=MOST_BYTES // 1024**2), hopeless=True)
    sent = not isinstance(error, NEVER_SENT)
    if isinstance(error, httpx.TimeoutException | TooSlow):
        return Lost(sent, say("why_timeout"))
    if not sent:
        return Lost(sent, quote(str(error)) if str(error) else say("why_no_route"))
    return Lost(sent, say("why_dropped"))
