"""Bank accounts and mobility customers: each is told once, and a list that shrinks makes nothing fire again."""

from __future__ import annotations

from typing import Any

import pytest
from bank_feed import NOW, handler, ids
from hypothesis import given
from hypothesis import strategies as st

TRIGGERS = [("banking", "new_bank_account"), ("mobility", "new_mobility_customer")]
each = pytest.mark.parametrize(("area", "trigger"), TRIGGERS)


def account(id: Any, created_at: Any = "2026-01-24T09:14:00+00:00") -> dict[str, Any]:
    return {"id": id, "created_at": created_at}


@each
def test_what_is_there_at_the_start_does_not_fire_and_what_comes_later_does(area: str, trigger: str) -> None:
    turn = handler(area, trigger).turn
    items, cursor = turn([account("a"), account("b")], None, {}, NOW, "now")
    assert items == []
    items, cursor = turn([account("a"), account("b"), account("c")], cursor, {}, NOW, "now")
    assert ids(items) == ["c"]
    assert turn([account("a"), account("b"), account("c")], cursor, {}, NOW, "now") == ([], cursor)


@each
def test_a_list_that_comes_back_empty_or_shorter_makes_nothing_fire_again(area: str, trigger: str) -> None:
    turn = handler(area, trigger).turn
    _, cursor = turn([account("a"), account("b")], None, {}, NOW, "now")
    assert turn([], cursor, {}, NOW, "now") == ([], cursor)
    assert turn([account("b")], cursor, {}, NOW, "now") == ([], cursor)
    assert turn([account("b"), account("a")], cursor, {}, NOW, "now") == ([], cursor)


def test_the_oldest_fires_first() -> None:
    turn = handler("banking", "new_bank_account").turn
    rows = [account("new", "2026-05-02T09:00:00Z"), account("odd", 7), account("old", "2026-05-02T10:30:00+02:00")]
    assert ids(turn(rows, None, {}, NOW, "all")[0]) == ["old", "new", "odd"]


def test_since_an_id_compares_numbers() -> None:
    turn = handler("banking", "new_bank_account").turn
    rows = [account("999"), account("1000"), account("6a1d2c3b")]
    assert ids(turn(rows, None, {}, NOW, "since:999")[0]) == ["1000"]


@pytest.mark.parametrize("odd", [{}, {"id": None}, {"id": ""}, {"id": True}, {"id": ["a"]}])
def test_an_entry_without_an_id_is_passed_over(odd: dict[str, Any]) -> None:
    items, _ = handler("mobility", "new_mobility_customer").turn([odd, account(8101)], None, {}, NOW, "all")
    assert ids(items) == ["8101"]


def test_a_text_that_is_no_cursor_is_refused() -> None:
    for text in ("", "123", "k:???", "k:AAAA"):
        with pytest.raises(ValueError, match="not a cursor"):
            handler("banking", "new_bank_account").turn([], text, {}, NOW, "now")


@given(st.lists(st.lists(st.text(min_size=1, max_size=6), max_size=6), max_size=8))
def test_whatever_comes_and_goes_each_id_fires_once(looks: list[list[str]]) -> None:
    cursor, fired = None, []
    for look in looks:
        items, cursor = handler("banking", "new_bank_account").turn(list(map(account, look)), cursor, {}, NOW, "all")
        fired += ids(items)
    assert sorted(fired) == sorted({id for look in looks for id in look})
