"""Pauses after failures: ever longer, as long as the service asks for, and over once it answers."""

from __future__ import annotations

import pytest

from connector.durable.inbox.confirm_limits import FIRST_SECONDS, LONGEST_SECONDS, MAX_PAUSE, Pauses


def test_a_key_without_failures_has_no_pause() -> None:
    assert Pauses().left("a", 5.0) == 0


def test_pauses_double_up_to_the_longest() -> None:
    pauses, now, seconds = Pauses(), 100.0, list[float]()
    for _ in range(8):
        seconds.append(pauses.begin("a", now))
        assert pauses.left("a", now + seconds[-1] / 2) == pytest.approx(seconds[-1] / 2)
        now += seconds[-1]
        assert pauses.left("a", now) == 0
    assert seconds[0] == FIRST_SECONDS
    assert seconds[1] == 2 * FIRST_SECONDS
    assert seconds[-1] == LONGEST_SECONDS


def test_a_pause_is_as_long_as_the_service_asks_within_reason() -> None:
    assert Pauses().begin("a", 0.0, asked=90.0) == 90.0
    assert Pauses().begin("a", 0.0, asked=1e9) == MAX_PAUSE.total_seconds()
    assert Pauses().begin("a", 0.0, asked=-5.0) == FIRST_SECONDS


def test_an_answer_ends_the_row_of_failures_of_its_key_only() -> None:
    pauses = Pauses()
    for key in ("a", "a", "b", "b"):
        pauses.begin(key, 0.0)
    pauses.end("a")
    assert pauses.left("a", 0.0) == 0
    assert pauses.begin("a", 0.0) == FIRST_SECONDS
    assert pauses.left("b", 0.0) == 2 * FIRST_SECONDS
