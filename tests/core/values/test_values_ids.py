"""Ids stay text, and cursors compare as integers of any size."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.core.values.ids import cursor_key, number_of

EDGE = 2**53


@pytest.mark.conforms("transaction.id")
@given(st.integers(min_value=0, max_value=10**40))
def test_an_id_and_its_successor_are_told_apart_at_any_size(number: int) -> None:
    assert cursor_key(str(number + 1)) > cursor_key(str(number))
    assert number_of(str(number)) == number_of(number) == number


def test_ids_beyond_a_doubles_reach_do_not_melt_into_one() -> None:
    assert len({cursor_key(id) for id in (str(EDGE + 1), str(EDGE), str(EDGE + 2))}) == 3


@pytest.mark.conforms("transaction.id")
def test_a_longer_number_is_newer_though_it_sorts_lower_as_text() -> None:
    assert max(["9", "10"], key=cursor_key) == "10"


@pytest.mark.parametrize("id", ["", "abc", "1.0", "-1", "+1", " 1", "1\n", "1e5", "١٢", "1_000", "9" * 101, "9" * 5000])
def test_what_is_no_cursor_is_refused(id: str) -> None:
    with pytest.raises(ValueError, match=r"cursor id|at most 100 digits"):
        cursor_key(id)
    assert number_of(id) is None


@pytest.mark.parametrize("value", [1.0, 9007199254740993.0, Decimal(1), True, None, [1], -1])
def test_what_may_have_lost_digits_has_no_number(value: Any) -> None:
    assert number_of(value) is None
