"""Checks the Host and Origin headers of a browser, against foreign pages that call the console through it."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from connector.core.credential import is_loopback

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

    from connector.interfaces.host_state import HostState


def is_own_address(connection: HTTPConnection, state: HostState) -> bool:
    """Whether the Host header names this host: a foreign name that was made to lead here (DNS rebinding) is refused.

    Where the host's names are not known, which is behind a proxy without `KONTOR_PUBLIC_URL`, any is taken.
    """
    public = urlsplit(state.public_url).hostname
    if public is None and not is_loopback(state.settings.host):
        return True
    name = _hostname(f"//{connection.headers.get('host', '')}")
    return name is not None and (name in {public, state.settings.host} or is_loopback(name) or _is_ip(name))


def is_own_origin(connection: HTTPConnection, state: HostState) -> bool:
    """Whether what a page sends comes from this host's own pages; a browser says so in Origin."""
    origin = connection.headers.get("origin")
    changes = connection.scope["type"] == "websocket" or connection.scope["method"] not in {"GET", "HEAD"}
    if origin is None or not changes:
        return True
    own = {_authority(f"//{connection.headers.get('host', '')}"), _authority(state.public_url)} - {""}
    return _authority(origin) in own


def _authority(url: str) -> str:
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""


def _hostname(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def _is_ip(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
