"""The bounds of what is remembered of open items; what becomes of them stands in tests/cases/open_item_changed.yaml."""

from __future__ import annotations

import base64
import zlib
from decimal import Decimal
from typing import Any

import pytest

from connector.triggers import OpenItemChanged
from connector.triggers.ledger import open_item_changed, open_item_state
from tests.manifests.triggers.bank_feed import NOW

turn = OpenItemChanged.turn
BOOKS = {"ledger_connection": "0b54a7c2-5a0e-4e0b-9d8e-3f6f3c1d2a90"}


def posten(beleg: str, saldo: Any, belegdatum: str = "2026-03-18") -> dict[str, Any]:
    return {"beleg": beleg, "belegdatum": belegdatum, "buchungstext": "Wartung", "saldo": saldo}


def answer(*items: dict[str, Any], kontonummer: str = "100100007", **more: Any) -> dict[str, Any]:
    konto = {"kontonummer": kontonummer, "bezeichnung": "Petersen GmbH", "isDebitor": True, "posten": list(items)}
    return {"stichtag": "2026-05-04", "konten": [konto], "sumDebitoren": Decimal(1), "sumKreditoren": 0, **more}


def test_items_beyond_the_bound_are_neither_new_nor_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_item_changed, "MOST_ITEMS", 2)
    shown = answer(posten("RE-1", 9), posten("RE-2", 8), posten("RE-3", 7))
    items, cursor = turn([shown], None, BOOKS, NOW, "all")
    assert len(items) == 2
    assert turn([shown], cursor, BOOKS, NOW, "all")[0] == []


def test_a_text_that_is_no_cursor_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("", "123", "z:???", "z:AAAA", "z:" + base64.urlsafe_b64encode(zlib.compress(b"[]")).decode()):
        with pytest.raises(ValueError, match="not a cursor"):
            turn([], text, BOOKS, NOW, "now")
    monkeypatch.setattr(open_item_state, "MOST_BYTES", 1000)
    bomb = "z:" + base64.urlsafe_b64encode(zlib.compress(b'{"books":"' + b" " * 10_000 + b'"}')).decode()
    with pytest.raises(ValueError, match="not a cursor"):
        turn([], bomb, BOOKS, NOW, "now")


def test_twenty_thousand_items_stay_a_text_of_a_few_hundred_kilobytes() -> None:
    many = answer(*(posten(f"RE-2026-{number}", Decimal(number) / 100) for number in range(1, 20_001)))
    _, cursor = turn([many], None, BOOKS, NOW, "now")
    assert len(cursor) < 400_000
    assert turn([many], cursor, BOOKS, NOW, "now")[0] == []
