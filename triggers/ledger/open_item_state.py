"""Remembers the open items of a ledger connection in one text, so that the next look can tell what changed.

The text is `z:` and compressed JSON: per person account its label and side, per document its balance and date. These
are kept in full and not as digests, because an item that is settled is no longer in the list and yet has to be named.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from connector.core.problems import Problem

MOST_ITEMS = 20_000
MOST_BYTES = 16 * 1024 * 1024
"""Of unpacked JSON: far beyond 20,000 items."""
PREFIX = "z:"
Key = tuple[str, str]
"""Person account and document number."""


@dataclass(frozen=True, slots=True)
class Item:
    """One open item, as far as it is remembered."""

    bezeichnung: str | None
    is_debitor: bool
    belegdatum: str | None
    saldo: Decimal


@dataclass(frozen=True, slots=True)
class OpenItemState:
    """What the last look saw."""

    books: str
    """Whose items they are: those of other books cannot be compared with them."""
    looks: int = 1
    """How many looks have found a change; part of an item's id, so that a document opened again is news again."""
    items: Mapping[Key, Item] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> OpenItemState:
        """Reads the text; raises `ValueError` when it is none of ours."""
        try:
            packed = base64.b64decode(text.removeprefix(PREFIX), altchars=b"-_", validate=True)
            tree = json.loads(zlib.decompressobj().decompress(packed, MOST_BYTES))
            items = {
                (konto, beleg): Item(bezeichnung, is_debitor, belegdatum, Decimal(saldo))
                for konto, (bezeichnung, is_debitor, posten) in tree["konten"].items()
                for beleg, (saldo, belegdatum) in posten.items()
            }
            return cls(str(tree["books"]), int(tree["looks"]), items)
        except (binascii.Error, zlib.error, ArithmeticError, AttributeError, KeyError, TypeError, ValueError):
            raise Problem("cursor_foreign", text=text[:40]) from None

    def __str__(self) -> str:
        konten: dict[str, tuple[Any, Any, dict[str, Any]]] = {}
        for (konto, beleg), item in self.items.items():
            posten = konten.setdefault(konto, (item.bezeichnung, item.is_debitor, {}))[2]
            posten[beleg] = (f"{item.saldo:f}", item.belegdatum)
        tree = {"books": self.books, "looks": self.looks, "konten": konten}
        packed = zlib.compress(json.dumps(tree, separators=(",", ":")).encode(), 6)
        return PREFIX + base64.urlsafe_b64encode(packed).decode()
