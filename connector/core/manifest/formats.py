"""What a text input must be: IBAN, BIC, VAT id, currency, UUID, public address … Libraries judge where there is one.

Each check takes the text and returns it tidied, or raises `Misfit` with the name of a message.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from connector.core.values.ids import MAX_DIGITS, is_uuid

PATTERNS = {
    "text": r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*",
    "client": r"[0-9]{1,12}-[0-9]{1,12}",
    "cursor": rf"[0-9]{{1,{MAX_DIGITS}}}",
    "account_number": r"[0-9]{1,20}",
}
"""The formats that a pattern alone decides."""


class Misfit(ValueError):
    """The text is not what it should be; `name` is that of a message, `values` fill its blanks."""

    def __init__(self, name: str, **values: Any) -> None:
        super().__init__(name)
        self.name = name
        self.values = values


def uuid(text: str) -> str:
    """A UUID in the usual notation."""
    if not is_uuid(text):
        raise Misfit("not_a_uuid", example="b1e0c9a2-3f4d-4c5b-9a6e-7f8091a2b3c4")
    return text


def iban(text: str) -> str:
    """An IBAN with the right length and check digits for its country, without blanks."""
    import schwifty

    try:
        return str(schwifty.IBAN(text).compact)
    except schwifty.exceptions.InvalidLength:
        raise Misfit("iban_length") from None
    except schwifty.exceptions.InvalidChecksumDigits:
        raise Misfit("iban_checksum") from None
    except (schwifty.exceptions.SchwiftyException, ValueError):
        raise Misfit("not_an_iban") from None


def bic(text: str) -> str:
    """A BIC of 8 or 11 characters."""
    import schwifty

    try:
        return str(schwifty.BIC(text).compact)
    except (schwifty.exceptions.SchwiftyException, ValueError):
        raise Misfit("not_a_bic") from None


def vat_id(text: str) -> str:
    """A VAT id; a German one with its check digit.

    The check digit follows ISO 7064 MOD 11,10. The libraries that know it are not permissively licensed or no longer
    kept, and it is these few lines.
    """
    tidy = re.sub(r"[\s.-]", "", text).upper()
    if not re.fullmatch(r"[A-Z]{2}[A-Z0-9+*]{2,12}", tidy):
        raise Misfit("not_a_vat_id")
    if tidy.startswith("DE"):
        if not re.fullmatch(r"DE[1-9][0-9]{8}", tidy):
            raise Misfit("german_vat_id_form")
        product = 10
        for digit in map(int, tidy[2:-1]):
            product = 2 * ((digit + product) % 10 or 10) % 11
        if (11 - product) % 10 != int(tidy[-1]):
            raise Misfit("german_vat_id_checksum")
    return tidy


@lru_cache(maxsize=256)
def currency(text: str) -> str:
    """A currency of ISO 4217."""
    from iso4217 import Currency

    try:
        return str(Currency(text.upper()).code)
    except ValueError:
        raise Misfit("not_a_currency") from None


@lru_cache(maxsize=256)
def minor_units(code: str) -> int:
    """How many decimals a currency has by ISO 4217; those that have none defined are not bounded in practice."""
    from iso4217 import Currency

    exponent = Currency(code).exponent
    return 4 if exponent is None else int(exponent)


def email(text: str) -> str:
    """Something that mail can be sent to, as far as its form tells."""
    if len(text) > 254 or not re.fullmatch(r"[^\s@<>,;\"]+@[^\s@<>,;\"]+\.[^\s@<>,;\".]{2,}", text):
        raise Misfit("not_an_email")
    return text


def country(text: str) -> str:
    """A country by its two letters (ISO 3166-1), as far as the form tells."""
    if not re.fullmatch(r"[A-Za-z]{2}", text):
        raise Misfit("not_a_country")
    return text.upper()


def client(text: str) -> str:
    """A client of a ledger connection: <advisor_number>-<client_number>."""
    if not re.fullmatch(PATTERNS["client"], text):
        raise Misfit("not_a_client")
    return text


def cursor(text: str) -> str:
    """A numeric id of any size."""
    if not re.fullmatch(PATTERNS["cursor"], text):
        raise Misfit("not_a_cursor")
    return text


def account_number(text: str) -> str:
    """The digits of an account."""
    if not re.fullmatch(PATTERNS["account_number"], text):
        raise Misfit("not_an_account_number")
    return text


def api_path(text: str) -> str:
    """A path below the base URL, and nowhere else."""
    wrong = not text.startswith("/v2/") or re.search(r"//|\\|[?#]|[^\x21-\x7e]|%(2f|5c|2e|00)", text, re.IGNORECASE)
    if wrong or any(part in {".", ".."} for part in text.split("/")):
        raise Misfit("not_an_api_path")
    return text


LOCAL_NAMES = (
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "arpa",
    "test",
    "onion",
)


def public_https_url(text: str) -> str:
    """An address that the service can reach from outside: https, a public name or number, nothing smuggled in."""
    try:
        parts = urlsplit(text)
        host = (parts.hostname or "").rstrip(".")
        _ = parts.port
    except ValueError:
        raise Misfit("not_a_url") from None
    if (
        parts.scheme != "https"
        or not host
        or "\\" in text
        or not text.isascii()
        or not text.isprintable()
        or " " in text
    ):
        raise Misfit("url_not_https")
    if parts.username is not None or parts.password is not None:
        raise Misfit("url_with_login")
    if _as_address(host) is not None:
        if not _is_public(host):
            raise Misfit("url_private")
    elif re.fullmatch(r"[0-9a-fx.]*[0-9]", host) or "%" in host or not re.fullmatch(r"[a-z0-9._-]+", host):
        raise Misfit("url_private")  # numbers in disguise: 2130706433, 0x7f.1, 127.1
    elif "." not in host or host.rsplit(".", 1)[1] in LOCAL_NAMES:
        raise Misfit("url_private")
    return text


def _as_address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _is_public(host: str) -> bool:
    address = ipaddress.ip_address(host)
    if isinstance(address, ipaddress.IPv6Address):
        for inner in (address.ipv4_mapped, address.sixtofour, address.teredo and address.teredo[1]):
            if inner and not inner.is_global:
                return False
        if address in ipaddress.ip_network("64:ff9b::/96"):
            return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF).is_global
    return address.is_global and not address.is_multicast


FORMATS: dict[str, Callable[[str], str]] = {
    "uuid": uuid,
    "iban": iban,
    "bic": bic,
    "vat_id": vat_id,
    "currency": currency,
    "email": email,
    "country": country,
    "client": client,
    "cursor": cursor,
    "public_https_url": public_https_url,
    "account_number": account_number,
    "api_path": api_path,
    "text": lambda text: text,
}
