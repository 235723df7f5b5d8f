"""What both clients know of httpx: how it is built once, and what its exceptions mean."""

from __future__ import annotations

import ssl
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import httpx

from connector.client.verdict import Lost
from connector.credential import Credential, is_loopback
from connector.messages import quote, say

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
    """How either kind of httpx client is built."""
    parts = urlsplit(credential.base_url)
    # Redirects are not followed and every URL is below the base URL: a plain http base needs no certificates.
    verify = _trust() if parts.scheme == "https" else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return {
        "verify": verify,
        "follow_redirects": False,
        "trust_env": not is_loopback(parts.hostname or ""),
        "limits": httpx.Limits(max_connections=64, max_keepalive_connections=32, keepalive_expiry=IDLE_SECONDS),
    }


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
