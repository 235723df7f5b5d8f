"""The console's cookie: proves that its bearer has shown the host token or a one-time link. Pure."""

from __future__ import annotations

import hashlib
import hmac

NAME = "kontor_console"
SECONDS = 12 * 3600
_PURPOSE = b"kontor console cookie"


def issue(host_token: str, now: float) -> str:
    """A cookie that is good for half a day. It cannot be turned back into the token."""
    until = str(int(now) + SECONDS)
    return f"{until}.{_signature(host_token, until)}"


def is_good(host_token: str, cookie: str, now: float) -> bool:
    """Whether the cookie was issued under this token and has not run out."""
    until, _, signature = cookie.partition(".")
    genuine = hmac.compare_digest(signature.encode(), _signature(host_token, until).encode())
    return genuine and until.isascii() and until.isdigit() and now < int(until)


def _signature(host_token: str, until: str) -> str:
    key = hashlib.sha256(_PURPOSE + host_token.encode()).digest()
    return hmac.new(key, until.encode(), hashlib.sha256).hexdigest()
