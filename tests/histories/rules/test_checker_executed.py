"""The checker catches what was executed twice, for nobody, or without its key."""

from __future__ import annotations

from typing import Any

import pytest

from tests.histories.plan.story import PARKED, Story, ask_at_the_end, pay
from tests.histories.rules.check import check
from tests.histories.rules.reading import CASH_BOOK, PAYMENT, PERSON


def _kinds(lines: list[dict[str, Any]]) -> set[str]:
    return {violation.kind for violation in check(lines)}


@pytest.mark.parametrize("action", [PAYMENT, CASH_BOOK, PERSON])
def test_a_key_executed_twice_is_caught(action: str) -> None:
    story = Story()
    pay(story, 10, action=action)
    output = pay(story, 20, action=action)
    ask_at_the_end(story, output, action=action)
    assert "executed_twice" in _kinds(story.end())


def test_a_key_executed_with_other_inputs_is_caught() -> None:
    story = Story()
    output = pay(story, 10)
    pay(story, 20, mark="other")
    ask_at_the_end(story, output)
    assert "executed_twice" in _kinds(story.end())


def test_a_payment_repeated_after_a_restore_is_caught_while_the_list_told_the_truth() -> None:
    story = Story()
    pay(story, 10)
    story.restore(backup=5, restored=20)
    story.set_list(21, hidden=True)
    story.set_list(24)
    output = pay(story, 30)
    ask_at_the_end(story, output)
    assert "executed_twice" in _kinds(story.end())


def test_a_booking_repeated_after_a_restore_is_caught_if_the_backup_knew_of_it() -> None:
    story = Story()
    pay(story, 10, action=CASH_BOOK)
    story.restore(backup=15, restored=20)
    output = pay(story, 30, action=CASH_BOOK)
    ask_at_the_end(story, output, action=CASH_BOOK)
    assert "executed_twice" in _kinds(story.end())


def test_a_booking_repeated_before_the_restore_is_caught() -> None:
    story = Story()
    pay(story, 10, action=CASH_BOOK)
    output = pay(story, 20, action=CASH_BOOK)
    story.restore(backup=5, restored=40)
    ask_at_the_end(story, output, action=CASH_BOOK)
    assert "executed_twice" in _kinds(story.end())


def test_a_press_executed_twice_is_caught() -> None:
    story = Story()
    op = story.ask(10, key=None)
    story.execute(11, key=None)
    story.hear(13, op, story.execute(12, key=None))
    assert _kinds(story.end()) == {"pressed_twice"}


def test_a_second_press_that_was_not_meant_is_caught() -> None:
    story = Story()
    pay(story, 10, key=None)
    pay(story, 20, key=None)
    assert _kinds(story.end()) == {"pressed_twice"}


def test_an_execution_that_nobody_asked_for_is_caught() -> None:
    story = Story()
    story.execute(10, mark="whose?")
    assert _kinds(story.end()) == {"executed_for_nobody"}


def test_an_execution_after_its_caller_was_answered_is_caught() -> None:
    story = Story()
    story.hear_error(12, story.ask(10, mark="m"), "unknown")
    output = story.execute(50)
    ask_at_the_end(story, output)
    assert _kinds(story.end()) == {"executed_for_nobody"}


def test_a_payment_without_its_key_is_caught() -> None:
    story = Story()
    op = story.ask(10)
    output = story.execute(11, key=None)
    story.hear(12, op, output)
    ask_at_the_end(story, output)
    assert _kinds(story.end()) == {"unmarked"}


@pytest.mark.parametrize("action", [PAYMENT, CASH_BOOK])
def test_an_unknown_write_repeated_under_another_key_is_caught(action: str) -> None:
    story = Story()
    story.hear_error(12, story.ask(10, "k", action=action), "unknown")
    output = pay(story, 20, "l", action=action)
    story.hear_error(101, story.ask(100, "k", action=action, final=True), "unknown")
    ask_at_the_end(story, output, "l", action=action)
    assert _kinds(story.end(PARKED)) == {"unknown_repeated"}


def _approved(decisions: dict[float, str], executed: float, **restore: float) -> Story:
    """Tell of a payment that waits from second 11 on, of what was decided, and of when it was executed."""
    story = Story()
    story.need_approval(5)
    story.hear_that_it_waits(11, story.ask(10))
    for at, what in decisions.items():
        story.decide(at, what)
    if restore:
        story.restore(**restore)
    ask_at_the_end(story, story.execute(executed))
    return story


@pytest.mark.parametrize(
    ("decisions", "executed"),
    [
        ({}, 12),
        ({14: "approves"}, 12),
        ({12: "rejected", 13: "approves"}, 13.1),
        ({12: "revoked", 13: "approves"}, 13.1),
        ({12: "approves", 13: "revoked"}, 15),
    ],
)
def test_what_is_executed_without_leave_is_caught(decisions: dict[float, str], executed: float) -> None:
    assert _kinds(_approved(decisions, executed).end()) == {"executed_without_leave"}


@pytest.mark.parametrize(
    ("decisions", "executed", "restore"),
    [
        ({12: "approves"}, 12.5, {}),
        ({12: "approves", 13: "revoked"}, 13.5, {}),
        ({}, 12, {"backup": 4, "restored": 9}),
        ({12: "approves", 13: "revoked"}, 40, {"backup": 12.5, "restored": 30}),
    ],
)
def test_what_is_executed_with_leave_is_not_caught(
    decisions: dict[float, str], executed: float, restore: dict[str, float]
) -> None:
    assert _kinds(_approved(decisions, executed, **restore).end()) == set()


def test_what_was_stopped_on_its_way_may_arrive_later() -> None:
    story = _approved({12: "approves", 13: "revoked"}, 20)
    story.disturb("stop_host", 12.9, 19)
    assert _kinds(story.end()) == set()
