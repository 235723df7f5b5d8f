"""Handlers for the webhook URL, which must be a public HTTPS URL."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import urlsplit

from connector.sandbox.traffic.http_messages import ServiceError
from connector.sandbox.traffic.parameters import object_of
from connector.sandbox.traffic.routes import Request
from connector.sandbox.world import World

_HOST_NAME = re.compile(r"(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])", re.ASCII)
_PRIVATE_NAMES = ("localhost", "local", "internal", "lan", "home", "localdomain", "intranet", "arpa")
# IPv6 ranges that embed an IPv4 address (mapped, translated, 6to4), which could be private.
_EMBEDDED_IPV4 = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"), IPv6Network("2002::/16"))


def get_webhook_url(world: World, request: Request) -> Any:
    return {"data": {"webhook_url": world.banking.webhook_urls.get(request.key.organization_id)}}


def put_webhook_url(world: World, request: Request) -> Any:
    body = object_of(request.body)
    if "webhook_url" not in body:
        raise ServiceError(400, "Required property webhook_url is missing.")
    url = body["webhook_url"]
    if url is None or url == "":
        world.banking.webhook_urls.pop(request.key.organization_id, None)
    else:
        if not isinstance(url, str):
            raise ServiceError(400, "Property webhook_url must be a text.")
        check_webhook_url(url, allow_loopback=world.settings.allow_loopback_webhooks)
        world.banking.webhook_urls[request.key.organization_id] = url
    return get_webhook_url(world, request)


def check_webhook_url(url: str, *, allow_loopback: bool) -> None:
    """Raise unless it is a public HTTPS URL, or an allowed loopback address."""
    reason = _rejection_reason(url, allow_loopback)
    if reason:
        raise ServiceError(400, f"Property webhook_url must be a public HTTPS URL: {reason}.")


def _rejection_reason(url: str, allow_loopback: bool) -> str | None:
    if any(sign <= " " or sign == "\\" for sign in url):
        return "it holds characters a URL cannot have"
    try:
        parts = urlsplit(url)
        host, _port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return "it cannot be read"
    if parts.scheme not in ("http", "https") or not host:
        return "it has no HTTPS scheme and host"
    if parts.username is not None or parts.password is not None:
        return "it carries credentials"
    address = _address(host)
    if allow_loopback and (host == "localhost" or (address is not None and address.is_loopback)):
        return None
    if parts.scheme != "https":
        return "it is not HTTPS"
    if address is not None:
        return None if _is_public(address) else "its address is not public"
    # This also rejects 2130706433, 0x7f000001 and 127.1, which some resolvers read as addresses.
    if not _HOST_NAME.fullmatch(host):
        return "its host is not a full domain name"
    if host.rsplit(".", 1)[-1] in _PRIVATE_NAMES:
        return "its host is not public"
    return None


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _is_public(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address) and any(address in net for net in _EMBEDDED_IPV4):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)
