"""Protection against SSRF: deliveries go to public addresses only, unless private ones are allowed.

An address is checked twice: the URL when a subscription is created, and the resolved IP address whenever a connection
is opened. Only the second check protects against a name that resolves differently later.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

from connector.core.errors import InputError
from connector.core.messages import Text, say
from connector.store.triggers import trial_inbox

Address = IPv4Address | IPv6Address

MAX_URL_CHARACTERS = 2000


def _networks(*texts: str) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(map(ip_network, texts))


# The ipaddress module treats several of these as global, depending on its version.
NON_PUBLIC = _networks("192.0.0.0/24", "::/96", "fec0::/10")
"""Protocol assignments, IPv4-compatible, and the deprecated site-local range."""
ALWAYS_REFUSED = _networks(
    "0.0.0.0/8",
    "::/128",
    "169.254.0.0/16",  # link-local: cloud metadata services
    "fe80::/10",
    # Addresses that embed an IPv4 address: nobody needs one as a target, and it could be a private one.
    "192.88.99.0/24",  # relays of 6to4
    "::ffff:0:0:0/96",  # IPv4-translated
    "64:ff9b::/96",  # NAT64
    "64:ff9b:1::/48",
    "2001::/32",  # Teredo
    "2002::/16",  # 6to4
)


def may_reach(address: Address, *, allow_private: bool) -> bool:
    """Whether deliveries may connect to this address."""
    if address.is_multicast or any(address in network for network in ALWAYS_REFUSED):
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return allow_private and may_reach(address.ipv4_mapped, allow_private=True)
    if allow_private:
        return True
    return address.is_global and not address.is_reserved and not any(address in network for network in NON_PUBLIC)


def check_target(url: str, *, allow_private: bool = False, inbox: bool = False, field: str = "target_url") -> str:
    """Return the URL if its text allows deliveries to it; raise an input error otherwise.

    With `inbox` the built-in inbox is allowed too, which only subscriptions can reach.
    """
    objection = None if inbox and url == trial_inbox.ADDRESS else _objection(url, allow_private)
    if objection is not None:
        raise InputError(objection, remedy=say("target_remedy"), field=field)
    return url


def _objection(url: str, allow_private: bool) -> Text | None:
    plain = url.isascii() and url.isprintable() and " " not in url and "\\" not in url
    if not plain or len(url) > MAX_URL_CHARACTERS:
        return say("target_unreadable")
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return say("target_unreadable")
    if parts.scheme not in {"http", "https"} or not host or port == 0:
        return say("target_unreadable")
    if parts.username is not None or parts.password is not None:
        return say("target_with_login")
    if parts.scheme != "https" and not allow_private:
        return say("target_not_https")
    return _objection_to_host(host, allow_private)


def _objection_to_host(host: str, allow_private: bool) -> Text | None:
    try:
        address = ip_address(host)
    except ValueError:
        # Many resolvers accept other notations of an address (2130706433, 0x7f.1, 127.1).
        if re.fullmatch(r"(0x[0-9a-f]*|[0-9]+)(\.(0x[0-9a-f]*|[0-9]+))*", host) or "%" in host or ":" in host:
            return say("target_private")
        local = "." not in host or host.endswith((".localhost", ".local", ".internal"))
        return say("target_private") if local and not allow_private else None
    return None if may_reach(address, allow_private=allow_private) else say("target_private")
