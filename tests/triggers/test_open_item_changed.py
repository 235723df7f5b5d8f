"""Open items: new, changed and settled ones are told once, exactly, and an answer that says nothing settles nothing."""

from __future__ import annotations

import base64
import zlib
from decimal import Decimal
from typing import Any

import pytest
from bank_feed import NOW, ids

from triggers.ledger import open_item_changed, open_item_state
from triggers.ledger.open_item_changed import turn

BOOKS = {"ledger_connection": "0b54a7c2-5a0e-4e0b-9d8e-3f6f3c1d2a90"}


def posten(beleg: str, saldo: Any, belegdatum: str = "2026-03-18") -> dict[str, Any]:
    return {"beleg": beleg, "belegdatum": belegdatum, "buchungstext": "Wartung", "saldo": saldo}


def answer(*items: dict[str, Any], kontonummer: str = "100100007", **more: Any) -> dict[str, Any]:
    konto = {"kontonummer": kontonummer, "bezeichnung": "Petersen GmbH", "isDebitor": True, "posten": list(items)}
    return {"stichtag": "2026-05-04", "konten": [konto], "sumDebitoren": Decimal(1), "sumKreditoren": 0, **more}


NOTHING_OPEN = {"stichtag": "2026-05-04", "konten": [], "sumDebitoren": Decimal("0.00"), "sumKreditoren": 0}


class Books:
    """Looks at open items again and again."""

    def __init__(self, start: str = "now", **inputs: Any) -> None:
        self.start, self.inputs = start, BOOKS | inputs
        self.cursor: str | None = None

    def look(self, *shown: dict[str, Any]) -> list[dict[str, Any]]:
        items, self.cursor = turn(list(shown), self.cursor, self.inputs, NOW, self.start)
        return items


def changes(items: list[dict[str, Any]]) -> list[tuple[str, str, Decimal, Decimal | None]]:
    return [(item["beleg"], item["_change"], item["saldo"], item["_previous_saldo"]) for item in items]


def test_a_first_look_takes_note_unless_all_are_wanted() -> None:
    shown = answer(posten("RE-1", Decimal("952.00")))
    assert Books("now").look(shown) == []
    assert Books("since:5").look(shown) == []
    assert changes(Books("all").look(shown)) == [("RE-1", "new", Decimal("952.00"), None)]


def test_new_changed_and_settled_items_are_told_with_both_balances() -> None:
    books = Books()
    books.look(answer(posten("RE-1", Decimal("952.00")), posten("RE-2", Decimal("476.00"))))
    items = books.look(answer(posten("RE-2", Decimal("76.00")), posten("RE-3", Decimal("-5.10"))))
    assert sorted(changes(items)) == [
        ("RE-1", "settled", Decimal(0), Decimal("952.00")),
        ("RE-2", "changed", Decimal("76.00"), Decimal("476.00")),
        ("RE-3", "new", Decimal("-5.10"), None),
    ]
    assert books.look(answer(posten("RE-2", Decimal("76.00")), posten("RE-3", Decimal("-5.10")))) == []


def test_a_settled_item_still_says_whose_it_was() -> None:
    books = Books()
    books.look(answer(posten("RE-1", 5), posten("RE-2", 6)))
    [item] = books.look(answer(posten("RE-2", 6)))
    assert item["bezeichnung"] == "Petersen GmbH"
    assert (item["kontonummer"], item["isDebitor"], item["belegdatum"]) == ("100100007", True, "2026-03-18")


def test_the_oldest_document_fires_first() -> None:
    shown = answer(posten("B", 9, "2026-04-02"), posten("A", 5, "2026-04-03"), posten("C", 1, "2026-04-01"))
    assert [item["beleg"] for item in Books("all").look(shown)] == ["C", "B", "A"]


def test_an_amount_written_differently_is_the_same_amount() -> None:
    books = Books()
    books.look(answer(posten("RE-1", Decimal("952.00"))))
    assert books.look(answer(posten("RE-1", 952))) == []


def test_seventeen_digits_are_told_apart() -> None:
    books = Books()
    books.look(answer(posten("RE-1", Decimal("100000000000000.01"))))
    assert len(books.look(answer(posten("RE-1", Decimal("100000000000000.02"))))) == 1


def test_a_document_opened_again_with_the_same_balance_is_told_under_another_id() -> None:
    books = Books("all")
    first = ids(books.look(answer(posten("RE-1", 5), posten("RE-2", 5))))
    books.look(answer(posten("RE-2", 5)))
    again = ids(books.look(answer(posten("RE-1", 5), posten("RE-2", 5))))
    assert len(again) == 1
    assert not set(first) & set(again)


def test_the_same_look_from_the_same_cursor_gives_the_same_ids() -> None:
    books = Books()
    books.look(answer(posten("RE-1", 5)))
    cursor, shown = books.cursor, answer(posten("RE-2", 7))
    first = books.look(shown)
    books.cursor = cursor
    assert books.look(shown) == first


def test_the_same_document_number_of_two_accounts_is_two_items() -> None:
    both = answer(posten("RE-1", 5))
    both["konten"] += answer(posten("RE-1", -7), kontonummer="700100003")["konten"]
    assert [item["kontonummer"] for item in Books("all").look(both)] == ["100100007", "700100003"]


def test_an_answer_without_accounts_settles_everything_only_when_its_sums_are_zero() -> None:
    books = Books()
    books.look(answer(posten("RE-1", 5)))
    silent: dict[str, Any]
    for silent in ({}, {"konten": None}, {"konten": []}, {**NOTHING_OPEN, "sumDebitoren": 5}):
        assert books.look(silent) == []
    assert books.look() == []
    assert [item["_change"] for item in books.look(NOTHING_OPEN)] == ["settled"]


def test_a_first_answer_that_says_nothing_does_not_make_the_second_fire_everything() -> None:
    books = Books("now")
    books.look({})
    assert books.look(answer(posten("RE-1", 5))) == []
    assert len(books.look(answer(posten("RE-1", 5), posten("RE-2", 5)))) == 1


@pytest.mark.parametrize("odd", [posten("RE-1", None), posten("RE-1", "viel"), {"beleg": "RE-1"}])
def test_an_item_whose_balance_cannot_be_read_is_neither_settled_nor_changed(odd: dict[str, Any]) -> None:
    books = Books()
    books.look(answer(posten("RE-1", 5), posten("RE-2", 6)))
    assert books.look(answer(odd, posten("RE-2", 6))) == []
    assert books.look(answer(posten("RE-1", 5), posten("RE-2", 6))) == []


def test_an_account_whose_items_cannot_be_read_is_not_settled() -> None:
    books = Books()
    both = answer(posten("RE-1", 5))
    both["konten"] += answer(posten("V-1", -7), kontonummer="700100003")["konten"]
    books.look(both)
    both["konten"][0] = {"kontonummer": "100100007", "posten": "?"}
    assert books.look(both) == []


def test_a_smallest_amount_hides_small_items_but_never_calls_them_settled() -> None:
    books = Books(minimum=Decimal(100))
    books.look(answer(posten("RE-1", 500), posten("RE-2", 20)))
    items = books.look(answer(posten("RE-1", 50), posten("RE-2", 30), posten("RE-3", 40)))
    assert changes(items) == [("RE-1", "changed", Decimal(50), Decimal(500))]
    assert books.look(answer(posten("RE-1", 50), posten("RE-2", 30))) == []


@pytest.mark.parametrize("other", [{"side": "creditors"}, {"client": "29098-10002"}, {"ledger_connection": "other"}])
def test_looking_at_other_books_takes_note_and_calls_nothing_settled(other: dict[str, Any]) -> None:
    books = Books("all")
    books.look(answer(posten("RE-1", 5)))
    books.inputs |= other
    assert books.look(answer(posten("V-1", -7), kontonummer="700100003")) == []
    assert len(books.look(answer(posten("V-2", -7), posten("V-1", -7), kontonummer="700100003"))) == 1


def test_items_beyond_the_bound_are_neither_new_nor_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_item_changed, "MOST_ITEMS", 2)
    books = Books("all")
    shown = answer(posten("RE-1", 9), posten("RE-2", 8), posten("RE-3", 7))
    assert len(books.look(shown)) == 2
    assert books.look(shown) == []


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
