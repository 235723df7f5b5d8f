"""The checker lets honest histories pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.histories.plan.story import PARKED, Story, ask_at_the_end, pay
from tests.histories.rules.check import check
from tests.histories.rules.reading import CASH_BOOK, PERSON

Told = list[dict[str, Any]]


def a_payment_and_its_repeat() -> Told:
    story = Story()
    output = pay(story)
    story.hear(21, story.ask(20), output, replayed=True)
    ask_at_the_end(story, output)
    return story.end()


def a_lost_answer_found_by_a_repeat() -> Told:
    story = Story()
    op = story.ask(10)
    output = story.execute(11)
    story.hear_error(15, op, "unknown", "outcome_unknown", exit=6)
    story.hear(21, story.ask(20), output, replayed=True, status=200)
    ask_at_the_end(story, output)
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
    output = pay(story, 20)
    ask_at_the_end(story, output)
    return story.end()


def a_killed_client_whose_payment_was_made() -> Told:
    story = Story()
    op = story.ask(10)
    output = story.execute(11)
    story.hear_nothing(12, op)
    story.hear(41, story.ask(40), output, replayed=True)
    ask_at_the_end(story, output)
    return story.end()


def a_conflict() -> Told:
    story = Story()
    output = pay(story)
    story.hear_error(21, story.ask(20, mark="other"), "not_sent", "input", field="key")
    ask_at_the_end(story, output)
    return story.end()


def a_booking_repeated_after_a_restore() -> Told:
    story = Story()
    pay(story, 10, action=CASH_BOOK)
    story.restore(backup=5, restored=20)
    output = pay(story, 30, action=CASH_BOOK)
    ask_at_the_end(story, output, action=CASH_BOOK)
    return story.end()


def a_booking_sent_after_the_backup_though_asked_for_before() -> Told:
    story = Story()
    op = story.ask(4, action=CASH_BOOK)
    story.hear(8, op, story.execute(7, action=CASH_BOOK))
    story.restore(backup=5, restored=20)
    output = pay(story, 30, action=CASH_BOOK)
    ask_at_the_end(story, output, action=CASH_BOOK)
    return story.end()


def a_payment_repeated_after_a_restore_while_the_list_lied() -> Told:
    story = Story()
    pay(story, 10)
    story.restore(backup=5, restored=20)
    story.set_list(25, hidden=True)
    output = pay(story, 30)
    story.set_list(50)
    ask_at_the_end(story, output)
    return story.end()


def a_payment_repeated_after_a_restore_while_the_list_lagged() -> Told:
    story = Story()
    story.set_list(5, lag=40)
    pay(story, 10)
    story.restore(backup=5, restored=20)
    output = pay(story, 30)
    story.set_list(60)
    ask_at_the_end(story, output)
    return story.end()


def a_press_meant_twice() -> Told:
    story = Story()
    pay(story, 10, key=None, action=PERSON)
    op = story.ask(20, key=None, action=PERSON, again=True)
    story.hear(22, op, story.execute(21, key=None, action=PERSON))
    return story.end()


def a_press_repeated_after_a_restore() -> Told:
    story = Story()
    pay(story, 10, key=None)
    story.restore(backup=5, restored=20)
    pay(story, 30, key=None)
    return story.end()


def a_press_held_back() -> Told:
    story = Story()
    pay(story, 10, key=None)
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
    output = pay(story)
    story.hear_error(21, story.ask(20), "not_sent", "store_down", status=503)
    ask_at_the_end(story, output)
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


@pytest.mark.parametrize("story", HONEST, ids=lambda story: story.__name__)
def test_an_honest_history_passes(story: Callable[[], Told]) -> None:
    assert check(story()) == []
