"""Ids stay text, and cursors compare as integers of any size."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from connector.core.values.ids import Id, as_id, cursor_key, is_after, is_uuid, newest

ADAPTER: TypeAdapter[str] = TypeAdapter(Id)
EDGE = 2**53


@given(st.integers(min_value=0, max_value=10**40))
def test_an_id_and_its_successor_are_told_apart_at_any_size(number: int) -> None:
    assert is_after(str(number + 1), str(number))
    assert not is_after(str(number), str(number + 1))
    assert not is_after(str(number), str(number))


@pytest.mark.parametrize("number", [EDGE - 1, EDGE, EDGE + 1, 2**63, 2**64, 10**30])
def test_a_whole_json_number_becomes_its_exact_digits(number: int) -> None:
    assert ADAPTER.validate_python(number) == str(number)


def test_ids_beyond_a_doubles_reach_do_not_melt_into_one() -> None:
    ids = [str(EDGE + 1), str(EDGE), str(EDGE + 2)]
    assert newest(ids) == str(EDGE + 2)
    assert len({cursor_key(id) for id in ids}) == 3


def test_a_longer_number_is_newer_though_it_sorts_lower_as_text() -> None:
    assert newest(["9", "10"]) == "10"
    assert is_after("10", "9")


@given(st.lists(st.integers(min_value=0, max_value=10**25).map(str), min_size=1))
def test_the_newest_is_one_of_them_and_none_lies_behind_it(ids: list[str]) -> None:
    last = newest(ids)
    assert last in ids
    assert not any(is_after(id, last) for id in ids)


def test_without_a_cursor_everything_is_new_and_without_ids_nothing_is_newest() -> None:
    assert is_after("1", None)
    assert newest([]) is None


@pytest.mark.parametrize("id", ["", "abc", "1.0", "-1", "+1", " 1", "1\n", "1e5", "١٢", "1_000", "9" * 101, "9" * 5000])
def test_what_is_no_cursor_is_refused(id: str) -> None:
    with pytest.raises(ValueError, match=r"cursor id|at most 100 digits"):
        cursor_key(id)


@pytest.mark.parametrize("text", ["00042", "", "tx_1", "9007199254740993"])
def test_text_stays_the_text_it_was(text: str) -> None:
    assert ADAPTER.validate_python(text) == as_id(text) == text


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        9007199254740993.0,
        Decimal(1),
        True,
        None,
        [1],
        pytest.param(10**100, id="101 digits"),
        pytest.param(10**5000, id="5001 digits"),
    ],
)
def test_what_may_have_lost_digits_is_no_id(value: Any) -> None:
    with pytest.raises(ValidationError):
        ADAPTER.validate_python(value)
    with pytest.raises(ValueError, match="an id"):
        as_id(value)


def test_a_uuid_is_recognised_with_its_hyphens_only() -> None:
    assert is_uuid("6f1f7b0e-1c1a-4c55-9a51-0b1c2d3e4f50")
    assert is_uuid("6F1F7B0E-1C1A-4C55-9A51-0B1C2D3E4F50")
    assert not is_uuid("6f1f7b0e1c1a4c559a510b1c2d3e4f50")
    assert not is_uuid("{6f1f7b0e-1c1a-4c55-9a51-0b1c2d3e4f50}")
    assert not is_uuid("6f1f7b0e-1c1a-4c55-9a51-0b1c2d3e4f50\n")
