"""Pauses after failures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connector.core import timing


def test_a_pause_doubles_until_it_is_long_enough() -> None:
    pauses = [timing.doubled(failures, first=0.25, longest=8) for failures in range(1, 9)]
    assert pauses == [0.25, 0.5, 1, 2, 4, 8, 8, 8]


def test_any_number_of_failures_can_be_counted() -> None:
    assert timing.doubled(10**9, first=15, longest=3600) == 3600


def test_a_list_of_pauses_comes_to_an_end() -> None:
    assert [timing.listed(failures, (5, 30)) for failures in (1, 2, 3)] == [5, 30, None]


@given(st.floats(0, 1e6), st.floats(0, 1))
def test_chance_moves_a_pause_by_a_tenth_at_most(seconds: float, share: float) -> None:
    assert 0.9 * seconds <= timing.jittered(seconds, dice=lambda: share) <= 1.1 * seconds * (1 + 1e-12)


@pytest.mark.parametrize(("share", "pause"), [(0.0, 2.0), (0.5, 6.0), (1.0, 10.0)])
def test_a_caller_says_between_which_shares_chance_decides(share: float, pause: float) -> None:
    assert timing.jittered(10, (0.2, 1.0), dice=lambda: share) == pytest.approx(pause)
