"""What a text input must be: IBAN, VAT id, currency, public address … Declared in `manifests/formats.yaml`.

A format takes the text and returns it tidied, or raises `Problem` with the name of a sentence. What a pattern cannot
decide is checked here by name, by a library where there is one.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from connector.core.problems import Problem
from connector.core.values import currencies

TIDY: Mapping[str, Callable[[str], str]] = {
    "compact": lambda text: "".join(text.split()),
    "plain": lambda text: re.sub(r"[\s.-]", "", text),
    "upper": str.upper,
}
LOCAL_NAMES = frozenset(
    ("localhost", "local", "localdomain", "internal", "intranet", "lan", "home", "corp", "arpa", "test", "onion")
)


class Format:
    """One format, compiled once."""

    def __init__(self, declared: Mapping[str, Any]) -> None:
        self._tidy = [TIDY[name] for name in declared.get("tidy", ())]
        self._pattern = re.compile(declared["pattern"]) if "pattern" in declared else None
        self._message = str(declared.get("message", ""))
        self._check = CHECKS[declared["check"]] if "check" in declared else None

    def __call__(self, text: str) -> str:
        """The text tidied; raises `Problem`."""
        for tidy in self._tidy:
            text = tidy(text)
        if self._pattern is not None and not self._pattern.fullmatch(text):
            raise Problem(self._message)
        if self._check is not None:
            self._check(text)
        return text


def check_iban(text: str) -> None:
    """The length and check digits that its country prescribes."""
    import schwifty

    try:
        schwifty.IBAN(text)
    except schwifty.exceptions.InvalidLength:
        raise Problem("iban_length") from None
    except schwifty.exceptions.InvalidChecksumDigits:
        raise Problem("iban_checksum") from None
    except (schwifty.exceptions.SchwiftyException, ValueError):
        raise Problem("not_an_iban") from None


def _bic(text: str) -> None:
    import schwifty

    try:
        schwifty.BIC(text)
    except (schwifty.exceptions.SchwiftyException, ValueError):
        raise Problem("not_a_bic") from None


def _vat_id(text: str) -> None:
    """A German one has a check digit by ISO 7064 MOD 11,10.

    The libraries that know it are not permissively licensed or no longer kept, and it is these few lines.
    """
    if not text.startswith("DE"):
        return
    if not re.fullmatch(r"DE[1-9][0-9]{8}", text):
        raise Problem("german_vat_id_form")
    product = 10
    for digit in map(int, text[2:-1]):
        product = 2 * ((digit + product) % 10 or 10) % 11
    if (11 - product) % 10 != int(text[-1]):
        raise Problem("german_vat_id_checksum")


def _currency(text: str) -> None:
    if currencies.code_of(text) is None:
        raise Problem("not_a_currency")


def _api_path(text: str) -> None:
    """A path below the base URL, and nowhere else."""
    climbs = any(part in {".", ".."} for part in text.split("/"))
    if climbs or re.search(r"//|\\|[?#]|%(2f|5c|2e|00)", text, re.IGNORECASE):
        raise Problem("not_an_api_path")


def _public_https_url(text: str) -> None:
    """An address that the service can reach from outside: a public name or number, nothing smuggled in."""
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").rstrip(".")
        _ = parts.port
    except ValueError:
        raise Problem("not_a_url") from None
    if not host or "\\" in text:
        raise Problem("url_not_https")
    if parts.username is not None:
        raise Problem("url_with_login")
    if not _is_public(host):
        raise Problem("url_private")


def _is_public(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        in_disguise = re.fullmatch(r"[0-9a-fx.]*[0-9]", host) or not re.fullmatch(r"[a-z0-9._-]+", host)
        return not in_disguise and "." in host and host.rsplit(".", 1)[1] not in LOCAL_NAMES
    if isinstance(address, ipaddress.IPv6Address):
        for inner in (address.ipv4_mapped, address.sixtofour, address.teredo and address.teredo[1]):
            if inner and not inner.is_global:
                return False
        if address in ipaddress.ip_network("64:ff9b::/96"):
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF).is_global
    return address.is_global and not address.is_multicast


CHECKS: Mapping[str, Callable[[str], None]] = {
    "iban": check_iban,
    "bic": _bic,
    "vat_id": _vat_id,
    "currency": _currency,
    "api_path": _api_path,
    "public_https_url": _public_https_url,
}
