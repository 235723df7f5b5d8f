"""The console's login cookie: an expiry time signed with the host token. Pure."""

from __future__ import annotations

import hashlib
import hmac

COOKIE_NAME = "kontor_console"
MAX_AGE_SECONDS = 12 * 3600
_PURPOSE = b"kontor console cookie"


def issue(host_token: str, now: float) -> str:
    """Create a cookie that is valid for twelve hours."""
    expires = str(int(now) + MAX_AGE_SECONDS)
    return f"{expires}.{_signature(host_token, expires)}"


def is_valid(host_token: str, cookie: str, now: float) -> bool:
    """Whether the cookie was signed with this token and has not expired."""
    expires, _, signature = cookie.partition(".")
    genuine = hmac.compare_digest(signature.encode(), _signature(host_token, expires).encode())
    return genuine and expires.isascii() and expires.isdigit() and now < int(expires)


def _signature(host_token: str, expires: str) -> str:
    key = hashlib.sha256(_PURPOSE + host_token.encode()).digest()
    return hmac.new(key, expires.encode(), hashlib.sha256).hexdigest()
