"""The checker catches what vanishes."""

from __future__ import annotations

from typing import Any

from tests.histories.plan.story import PARKED, Story, pay
from tests.histories.rules.check import check


def _kinds(lines: list[dict[str, Any]]) -> set[str]:
    return {violation.kind for violation in check(lines)}


def test_a_key_that_is_unknown_and_not_parked_is_caught() -> None:
    story = Story()
    story.hear_error(12, story.ask(10), "unknown")
    story.hear_error(101, story.ask(100, final=True), "unknown")
    assert _kinds(story.end({**PARKED, "state": "done"})) == {"vanished"}


def test_a_key_without_a_last_answer_is_caught() -> None:
    story = Story()
    output = pay(story)
    story.hear_nothing(190, story.ask(100, final=True))
    assert _kinds(story.end()) == {"vanished"}
    assert output["id"] == "pay-1"


def test_a_key_that_was_not_asked_at_the_end_is_caught() -> None:
    story = Story()
    pay(story)
    assert _kinds(story.end()) == {"vanished"}


def test_a_payment_that_is_listed_and_not_found_is_caught() -> None:
    story = Story()
    pay(story)
    story.hear_error(101, story.ask(100, final=True), "unknown")
    assert _kinds(story.end(PARKED)) == {"not_found"}


def test_an_unknown_press_that_is_nowhere_listed_is_caught() -> None:
    story = Story()
    story.hear_error(12, story.ask(10, key=None), "unknown")
    assert _kinds(story.end()) == {"vanished"}


def test_an_unknown_run_that_a_host_does_not_list_is_caught() -> None:
    assert _kinds(Story().end(PARKED, over_http=False)) == {"vanished"}


def test_an_executed_press_of_which_nothing_tells_is_caught() -> None:
    story = Story()
    op = story.ask(10, key=None, mark="marked")
    story.execute(11, key=None, mark="marked")
    story.hear_nothing(12, op)
    assert _kinds(story.end()) == {"vanished"}


def test_a_history_that_was_not_recorded_to_its_end_is_caught() -> None:
    assert _kinds(Story().lines) == {"incomplete"}
