"""The checker catches answers that are not so, not clear, or not the same."""

from __future__ import annotations

from typing import Any

import pytest

from tests.histories.plan.story import Story, ask_at_the_end, pay
from tests.histories.rules.check import check
from tests.histories.rules.reading import CASH_BOOK


def _kinds(lines: list[dict[str, Any]]) -> set[str]:
    return {violation.kind for violation in check(lines)}


@pytest.mark.parametrize("outcome", ["not_sent", "refused"])
def test_a_false_denial_is_caught(outcome: str) -> None:
    story = Story()
    op = story.ask(10)
    output = story.execute(11)
    story.hear_error(12, op, outcome)
    ask_at_the_end(story, output)
    assert _kinds(story.end()) == {"false_not_sent"}


def test_a_denial_is_caught_even_if_a_later_repeat_finds_out() -> None:
    story = Story()
    op = story.ask(10, key=None)
    story.execute(11, key=None)
    story.hear_error(12, op, "not_sent")
    story.hear_error(21, story.ask(20, key=None), "not_sent", "likely_repeat")
    assert "false_not_sent" in _kinds(story.end())


def test_a_denial_of_what_an_earlier_attempt_did_is_caught() -> None:
    story = Story()
    output = pay(story)
    story.hear_error(21, story.ask(20), "not_sent", "rate_limited")
    ask_at_the_end(story, output)
    assert _kinds(story.end()) == {"false_not_sent"}


def test_a_denial_of_what_the_service_does_later_is_caught() -> None:
    story = Story()
    story.hear_error(12, story.ask(10), "unknown")
    output = story.execute(11, executed=40)
    story.hear_error(21, story.ask(20), "not_sent", "rate_limited")
    ask_at_the_end(story, output)
    assert _kinds(story.end()) == {"false_not_sent"}


@pytest.mark.parametrize("output", [{"id": "pay-9", "amount": "12.5"}, {"id": "pay-1", "amount": "13"}, None])
def test_a_result_that_does_not_exist_is_caught(output: Any) -> None:
    story = Story()
    op = story.ask(10)
    story.execute(11)
    story.hear(12, op, output)
    ask_at_the_end(story, output)
    assert "false_result" in _kinds(story.end())


def test_the_result_of_other_inputs_is_caught() -> None:
    story = Story()
    output = pay(story)
    story.hear(21, story.ask(20, amount="99", mark="other"), output, replayed=True)
    ask_at_the_end(story, output)
    assert "false_result" in _kinds(story.end())


def test_a_conflict_between_equal_inputs_is_caught() -> None:
    story = Story()
    output = pay(story)
    story.hear_error(21, story.ask(20), "not_sent", "input", field="key")
    ask_at_the_end(story, output)
    assert "false_conflict" in _kinds(story.end())


def test_a_replay_that_differs_is_caught() -> None:
    story = Story()
    output = pay(story, action=CASH_BOOK)
    story.hear(21, story.ask(20, action=CASH_BOOK), {**output, "number": 7}, replayed=True)
    ask_at_the_end(story, output, action=CASH_BOOK)
    assert "replay_differs" in _kinds(story.end())


def test_two_new_results_of_one_key_are_caught() -> None:
    story = Story()
    output = pay(story)
    story.hear(21, story.ask(20), output, replayed=False)
    ask_at_the_end(story, output)
    assert _kinds(story.end()) == {"replay_differs"}


@pytest.mark.parametrize(
    ("outcome", "more"), [(None, {}), ("unknown", {"exit": 0}), ("not_sent", {"exit": 6}), ("refused", {"status": 200})]
)
def test_an_answer_without_a_clear_outcome_is_caught(outcome: str | None, more: dict[str, Any]) -> None:
    story = Story()
    story.hear_error(11, story.ask(10, key=None, mark="m"), outcome, **more)
    assert "unclear_answer" in _kinds(story.end({"id": "r", "state": "unknown", "inputs": "m"}))


def test_an_error_that_nobody_foresaw_is_caught() -> None:
    story = Story()
    story.hear_error(11, story.ask(10, key=None, mark="m"), "unknown", "error")
    assert _kinds(story.end({"id": "r", "state": "unknown", "inputs": "m"})) == {"unclear_answer"}
