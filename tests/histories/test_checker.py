"""The checker catches every kind of broken promise, and lets honest histories pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.histories.check import check
from tests.histories.reading import CASH_BOOK, PAYMENT, PERSON
from tests.histories.story import Story

Told = list[dict[str, Any]]
PARKED = {"id": "r1", "key": "k", "state": "unknown"}


def _kinds(lines: Told) -> set[str]:
    return {violation.kind for violation in check(lines)}


def _pay(story: Story, at: float = 10, key: str | None = "k", **more: Any) -> dict[str, Any]:
    """Let a payment be asked for, made and told."""
    op = story.ask(at, key, **more)
    output = story.execute(at + 1, key, **more)
    story.hear(at + 2, op, output)
    return output


def _ask_at_the_end(story: Story, output: dict[str, Any], key: str = "k", **more: Any) -> None:
    story.hear(101, story.ask(100, key, final=True, **more), output, replayed=True)


# Honest histories


def a_payment_and_its_repeat() -> Told:
    story = Story()
    output = _pay(story)
    story.hear(21, story.ask(20), output, replayed=True)
    _ask_at_the_end(story, output)
    return story.end()


def a_lost_answer_found_by_a_repeat() -> Told:
    story = Story()
    op = story.ask(10)
    output = story.execute(11)
    story.hear_error(15, op, "unknown", "outcome_unknown", exit=6)
    story.hear(21, story.ask(20), output, replayed=True, status=200)
    _ask_at_the_end(story, output)
    return story.end()


def a_booking_of_unknown_outcome_that_is_parked() -> Told:
    story = Story()
    op = story.ask(10, action=CASH_BOOK)
    story.execute(11, action=CASH_BOOK)
    story.hear_error(15, op, "unknown")
    story.hear_error(101, story.ask(100, action=CASH_BOOK, final=True), "unknown")
    return story.end(PARKED)


def a_refusal_and_a_later_success() -> Told:
    story = Story()
    story.hear_error(11, story.ask(10), "not_sent", "rate_limited", exit=4)
    output = _pay(story, 20)
    _ask_at_the_end(story, output)
    return story.end()


def a_killed_client_whose_payment_was_made() -> Told:
    story = Story()
    op = story.ask(10)
    output = story.execute(11)
    story.hear_nothing(12, op)
    story.hear(41, story.ask(40), output, replayed=True)
    _ask_at_the_end(story, output)
    return story.end()


def a_conflict() -> Told:
    story = Story()
    output = _pay(story)
    story.hear_error(21, story.ask(20, mark="other"), "not_sent", "input", field="key")
    _ask_at_the_end(story, output)
    return story.end()


def a_booking_repeated_after_a_restore() -> Told:
    story = Story()
    _pay(story, 10, action=CASH_BOOK)
    story.restore(backup=5, restored=20)
    output = _pay(story, 30, action=CASH_BOOK)
    _ask_at_the_end(story, output, action=CASH_BOOK)
    return story.end()


def a_booking_sent_after_the_backup_though_asked_for_before() -> Told:
    story = Story()
    op = story.ask(4, action=CASH_BOOK)
    story.hear(8, op, story.execute(7, action=CASH_BOOK))
    story.restore(backup=5, restored=20)
    output = _pay(story, 30, action=CASH_BOOK)
    _ask_at_the_end(story, output, action=CASH_BOOK)
    return story.end()


def a_payment_repeated_after_a_restore_while_the_list_lied() -> Told:
    story = Story()
    _pay(story, 10)
    story.restore(backup=5, restored=20)
    story.set_list(25, hidden=True)
    output = _pay(story, 30)
    story.set_list(50)
    _ask_at_the_end(story, output)
    return story.end()


def a_payment_repeated_after_a_restore_while_the_list_lagged() -> Told:
    story = Story()
    story.set_list(5, lag=40)
    _pay(story, 10)
    story.restore(backup=5, restored=20)
    output = _pay(story, 30)
    story.set_list(60)
    _ask_at_the_end(story, output)
    return story.end()


def a_press_meant_twice() -> Told:
    story = Story()
    _pay(story, 10, key=None, action=PERSON)
    op = story.ask(20, key=None, action=PERSON, again=True)
    story.hear(22, op, story.execute(21, key=None, action=PERSON))
    return story.end()


def a_press_repeated_after_a_restore() -> Told:
    story = Story()
    _pay(story, 10, key=None)
    story.restore(backup=5, restored=20)
    _pay(story, 30, key=None)
    return story.end()


def a_press_held_back() -> Told:
    story = Story()
    _pay(story, 10, key=None)
    story.hear_error(21, story.ask(20, key=None), "not_sent", "likely_repeat", exit=2)
    return story.end()


def a_press_of_unknown_outcome() -> Told:
    story = Story()
    story.hear_error(12, story.ask(10, key=None), "unknown", details={"run": "r7"})
    return story.end({"id": "r7", "key": None, "state": "unknown"})


def an_unknown_press_sent_after_the_backup_though_asked_for_before() -> Told:
    story = Story()
    op = story.ask(4, key=None)
    story.execute(7, key=None)
    story.hear_error(8, op, "unknown")
    story.restore(backup=5, restored=20)
    story.hear_error(31, story.ask(30, key="other", mark="other"), "refused")
    story.hear_error(101, story.ask(100, key="other", mark="other", final=True), "refused")
    return story.end()


def a_press_without_an_answer_that_is_among_the_runs() -> Told:
    story = Story()
    op = story.ask(10, key=None, mark="marked")
    story.execute(11, key=None, mark="marked")
    story.hear_nothing(12, op)
    return story.end({"id": "r7", "key": None, "state": "done", "inputs": {"description": "marked"}})


def a_database_that_was_away() -> Told:
    story = Story()
    output = _pay(story)
    story.hear_error(21, story.ask(20), "not_sent", "store_down", status=503)
    _ask_at_the_end(story, output)
    return story.end()


HONEST: tuple[Callable[[], Told], ...] = (
    a_payment_and_its_repeat,
    a_lost_answer_found_by_a_repeat,
    a_booking_of_unknown_outcome_that_is_parked,
    a_refusal_and_a_later_success,
    a_killed_client_whose_payment_was_made,
    a_conflict,
    a_booking_repeated_after_a_restore,
    a_booking_sent_after_the_backup_though_asked_for_before,
    a_payment_repeated_after_a_restore_while_the_list_lied,
    a_payment_repeated_after_a_restore_while_the_list_lagged,
    a_press_meant_twice,
    a_press_repeated_after_a_restore,
    a_press_held_back,
    a_press_of_unknown_outcome,
    an_unknown_press_sent_after_the_backup_though_asked_for_before,
    a_press_without_an_answer_that_is_among_the_runs,
    a_database_that_was_away,
)


@pytest.mark.parametrize("tell", HONEST, ids=lambda tell: tell.__name__)
def test_an_honest_history_passes(tell: Callable[[], Told]) -> None:
    assert check(tell()) == []


# What the service executed


@pytest.mark.parametrize("action", [PAYMENT, CASH_BOOK, PERSON])
def test_a_key_executed_twice_is_caught(action: str) -> None:
    story = Story()
    _pay(story, 10, action=action)
    output = _pay(story, 20, action=action)
    _ask_at_the_end(story, output, action=action)
    assert "executed_twice" in _kinds(story.end())


def test_a_key_executed_with_other_inputs_is_caught() -> None:
    story = Story()
    output = _pay(story, 10)
    _pay(story, 20, mark="other")
    _ask_at_the_end(story, output)
    assert "executed_twice" in _kinds(story.end())


def test_a_payment_repeated_after_a_restore_is_caught_while_the_list_told_the_truth() -> None:
    story = Story()
    _pay(story, 10)
    story.restore(backup=5, restored=20)
    story.set_list(21, hidden=True)
    story.set_list(24)
    output = _pay(story, 30)
    _ask_at_the_end(story, output)
    assert "executed_twice" in _kinds(story.end())


def test_a_booking_repeated_after_a_restore_is_caught_if_the_backup_knew_of_it() -> None:
    story = Story()
    _pay(story, 10, action=CASH_BOOK)
    story.restore(backup=15, restored=20)
    output = _pay(story, 30, action=CASH_BOOK)
    _ask_at_the_end(story, output, action=CASH_BOOK)
    assert "executed_twice" in _kinds(story.end())


def test_a_booking_repeated_before_the_restore_is_caught() -> None:
    story = Story()
    _pay(story, 10, action=CASH_BOOK)
    output = _pay(story, 20, action=CASH_BOOK)
    story.restore(backup=5, restored=40)
    _ask_at_the_end(story, output, action=CASH_BOOK)
    assert "executed_twice" in _kinds(story.end())


def test_a_press_executed_twice_is_caught() -> None:
    story = Story()
    op = story.ask(10, key=None)
    story.execute(11, key=None)
    story.hear(13, op, story.execute(12, key=None))
    assert _kinds(story.end()) == {"pressed_twice"}


def test_a_second_press_that_was_not_meant_is_caught() -> None:
    story = Story()
    _pay(story, 10, key=None)
    _pay(story, 20, key=None)
    assert _kinds(story.end()) == {"pressed_twice"}


def test_an_execution_that_nobody_asked_for_is_caught() -> None:
    story = Story()
    story.execute(10, mark="whose?")
    assert _kinds(story.end()) == {"executed_for_nobody"}


def test_an_execution_after_its_caller_was_answered_is_caught() -> None:
    story = Story()
    story.hear_error(12, story.ask(10, mark="m"), "unknown")
    output = story.execute(50)
    _ask_at_the_end(story, output)
    assert _kinds(story.end()) == {"executed_for_nobody"}


def test_a_payment_without_its_key_is_caught() -> None:
    story = Story()
    op = story.ask(10)
    output = story.execute(11, key=None)
    story.hear(12, op, output)
    _ask_at_the_end(story, output)
    assert _kinds(story.end()) == {"unmarked"}


@pytest.mark.parametrize("action", [PAYMENT, CASH_BOOK])
def test_an_unknown_write_repeated_under_another_key_is_caught(action: str) -> None:
    story = Story()
    story.hear_error(12, story.ask(10, "k", action=action), "unknown")
    output = _pay(story, 20, "l", action=action)
    story.hear_error(101, story.ask(100, "k", action=action, final=True), "unknown")
    _ask_at_the_end(story, output, "l", action=action)
    assert _kinds(story.end(PARKED)) == {"unknown_repeated"}


# What callers were told


@pytest.mark.parametrize("outcome", ["not_sent", "refused"])
def test_a_false_denial_is_caught(outcome: str) -> None:
    story = Story()
    op = story.ask(10)
    output = story.execute(11)
    story.hear_error(12, op, outcome)
    _ask_at_the_end(story, output)
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
    output = _pay(story)
    story.hear_error(21, story.ask(20), "not_sent", "rate_limited")
    _ask_at_the_end(story, output)
    assert _kinds(story.end()) == {"false_not_sent"}


def test_a_denial_of_what_the_service_does_later_is_caught() -> None:
    story = Story()
    story.hear_error(12, story.ask(10), "unknown")
    output = story.execute(11, executed=40)
    story.hear_error(21, story.ask(20), "not_sent", "rate_limited")
    _ask_at_the_end(story, output)
    assert _kinds(story.end()) == {"false_not_sent"}


@pytest.mark.parametrize("output", [{"id": "pay-9", "amount": "12.5"}, {"id": "pay-1", "amount": "13"}, None])
def test_a_result_that_does_not_exist_is_caught(output: Any) -> None:
    story = Story()
    op = story.ask(10)
    story.execute(11)
    story.hear(12, op, output)
    _ask_at_the_end(story, output)
    assert "false_result" in _kinds(story.end())


def test_the_result_of_other_inputs_is_caught() -> None:
    story = Story()
    output = _pay(story)
    story.hear(21, story.ask(20, amount="99", mark="other"), output, replayed=True)
    _ask_at_the_end(story, output)
    assert "false_result" in _kinds(story.end())


def test_a_conflict_between_equal_inputs_is_caught() -> None:
    story = Story()
    output = _pay(story)
    story.hear_error(21, story.ask(20), "not_sent", "input", field="key")
    _ask_at_the_end(story, output)
    assert "false_conflict" in _kinds(story.end())


def test_a_replay_that_differs_is_caught() -> None:
    story = Story()
    output = _pay(story, action=CASH_BOOK)
    story.hear(21, story.ask(20, action=CASH_BOOK), {**output, "number": 7}, replayed=True)
    _ask_at_the_end(story, output, action=CASH_BOOK)
    assert "replay_differs" in _kinds(story.end())


def test_two_new_results_of_one_key_are_caught() -> None:
    story = Story()
    output = _pay(story)
    story.hear(21, story.ask(20), output, replayed=False)
    _ask_at_the_end(story, output)
    assert _kinds(story.end()) == {"replay_differs"}


@pytest.mark.parametrize(
    ("outcome", "more"), [(None, {}), ("unknown", {"exit": 0}), ("not_sent", {"exit": 6}), ("refused", {"status": 200})]
)
def test_an_answer_without_a_clear_outcome_is_caught(outcome: str | None, more: dict[str, Any]) -> None:
    story = Story()
    story.hear_error(11, story.ask(10, key=None, mark="m"), outcome, **more)
    assert "unclear_answer" in _kinds(story.end({"id": "r", "state": "unknown", "inputs": "m"}))


# The end


def test_an_error_that_nobody_foresaw_is_caught() -> None:
    story = Story()
    story.hear_error(11, story.ask(10, key=None, mark="m"), "unknown", "error")
    assert _kinds(story.end({"id": "r", "state": "unknown", "inputs": "m"})) == {"unclear_answer"}


def test_a_key_that_is_unknown_and_not_parked_is_caught() -> None:
    story = Story()
    story.hear_error(12, story.ask(10), "unknown")
    story.hear_error(101, story.ask(100, final=True), "unknown")
    assert _kinds(story.end({**PARKED, "state": "done"})) == {"vanished"}


def test_a_key_without_a_last_answer_is_caught() -> None:
    story = Story()
    output = _pay(story)
    story.hear_nothing(190, story.ask(100, final=True))
    assert _kinds(story.end()) == {"vanished"}
    assert output["id"] == "pay-1"


def test_a_key_that_was_not_asked_at_the_end_is_caught() -> None:
    story = Story()
    _pay(story)
    assert _kinds(story.end()) == {"vanished"}


def test_a_payment_that_is_listed_and_not_found_is_caught() -> None:
    story = Story()
    _pay(story)
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
