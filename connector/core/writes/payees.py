"""Payees: when two spellings mean the same one, and what has changed against who was paid before. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from dataclasses import dataclass

from connector.core.messages import Text, say
from connector.core.writes.policy import plain_payee

_LETTERS = str.maketrans({"\u00f8": "o", "\u0142": "l", "\u0111": "d", "\u0131": "i"})
"""Latin letters with a stroke or without a dot, which no normal form takes apart."""
_UMLAUT = re.compile("(?<=[aou])\u0308")
_MORE = 4
"""Characters of an IBAN that stay readable at either end."""


@dataclass(frozen=True, slots=True)
class Payee:
    """Who is paid, by name and IBAN, as they were written."""

    name: str
    iban: str

    @property
    def plain(self) -> Payee:
        """The same as it is compared."""
        return Payee(plain_name(self.name), plain_payee(self.iban))


@dataclass(frozen=True, slots=True)
class PayeeChange:
    """A known payee with another IBAN, or a known IBAN with another name."""

    reason: str
    text: Text


def plain_name(text: str) -> str:
    """Return a name as it is compared: without case, blanks, signs and accents, umlauts and 'and' written out."""
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_LETTERS)
    apart = unicodedata.normalize("NFKD", re.sub("[&+]", " und ", folded))
    return "".join(sign for sign in _UMLAUT.sub("e", apart) if sign.isalnum())


def change_of(payee: Payee, known: Collection[Payee]) -> PayeeChange | None:
    """Return what is different, given everybody known by the name or the IBAN, the newest first."""
    plain = payee.plain
    if any(former.plain == plain for former in known):
        return None
    by_name = next((former for former in known if former.plain.name == plain.name), None)
    if by_name is not None and plain.name:
        return _change("payee_iban_changed", payee, by_name)
    by_iban = next((former for former in known if former.plain.iban == plain.iban), None)
    return _change("payee_name_changed", payee, by_iban) if by_iban is not None and plain.name else None


def _change(reason: str, payee: Payee, before: Payee) -> PayeeChange:
    blanks = {"name": payee.name, "iban": payee.iban, "known_name": before.name, "known_iban": _masked(before.iban)}
    return PayeeChange(reason, say(reason, **blanks))


def _masked(iban: str) -> str:
    plain = plain_payee(iban)
    return f"{plain[:_MORE]}…{plain[-_MORE:]}"
