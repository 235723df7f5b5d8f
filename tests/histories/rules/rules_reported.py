"""Rules about what callers were told: results that exist, refusals that hold, replays that equal the first result."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from itertools import pairwise
from typing import Any

from tests.histories.excuses import SLACK, may_be_forgotten, was_forgotten
from tests.histories.rules.reading import CASH_BOOK, NOTHING_DONE, PAYMENT, WAITS, Execution, History, Operation
from tests.histories.rules.violation import Violation

OUTCOMES = ("not_sent", "refused", "unknown")
UNKNOWN_EXIT, WAITS_EXIT = 6, 7
STORE_DOWN = "store_down"
UNFORESEEN = "error"
"""The kind of an error that nobody thought of: Kontor itself does not know what it means for the write."""


def results_that_are_not_so(history: History) -> Iterator[Violation]:
    """A result belongs to an execution with the inputs of the operation that heard it."""
    for operation in _answered(history):
        if operation.told == "ok" and not any(_matches(operation, execution) for execution in history.executions):
            yield Violation("false_result", f"{operation.name} was told {_short(operation)}, which was not executed")


def _matches(operation: Operation, execution: Execution) -> bool:
    assert operation.answer is not None
    output = operation.answer.output
    if (execution.action, execution.mark, execution.amount) != (operation.action, operation.mark, operation.amount):
        return False
    if execution.action == PAYMENT:
        return output.get("id") == execution.payment_id and _number(output.get("amount")) == execution.amount
    if execution.action == CASH_BOOK:
        lines = output.get("belegzeilen") or [{}]
        return lines[0].get("belegtext") == execution.mark and _number(output.get("betrag")) == execution.amount
    return execution.mark in str(output)


def refusals_after_an_execution(history: History) -> Iterator[Violation]:
    """Once a key was executed, nobody who repeats it is told that nothing was done."""
    for key, attempts in history.by_key().items():
        for execution in history.executed_under(key):
            for attempt in attempts:
                if attempt.at <= execution.arrived + SLACK or attempt.told not in NOTHING_DONE:
                    continue
                assert attempt.answer is not None
                other_inputs = attempt.answer.is_conflict and attempt.mark != execution.mark
                # Without its database, Kontor knows only that it has not sent anything in this call.
                if other_inputs or attempt.answer.kind == STORE_DOWN:
                    continue
                if not was_forgotten(history, execution.arrived, attempt.at):
                    yield Violation(
                        "false_not_sent", f"{attempt.name} was told {_short(attempt)} after {execution.name}"
                    )


def conflicts_without_other_inputs(history: History) -> Iterator[Violation]:
    """A conflict is told only where the key was used with other inputs; another notation is not other inputs."""
    for key, attempts in history.by_key().items():
        for attempt in attempts:
            if attempt.answer is None or not attempt.answer.is_conflict:
                continue
            if not any(other.mark != attempt.mark and other.at < attempt.answer.at for other in attempts):
                yield Violation("false_conflict", f"{attempt.name}: nobody used key {key} with other inputs")


def replays_that_differ(history: History) -> Iterator[Violation]:
    """All who hear a result under one key hear the same, and at most one of them that it is new."""
    for key, attempts in history.by_key().items():
        heard = [attempt for attempt in attempts if attempt.told == "ok" and attempt.answer is not None]
        for first, second in pairwise(heard):
            if _identity(first) != _identity(second) and not _forgotten_between(history, first, second):
                yield Violation("replay_differs", f"{first.name} heard {_short(first)}, {second.name} {_short(second)}")
        new = [attempt for attempt in heard if attempt.answer is not None and not attempt.answer.replayed]
        for first, second in pairwise(new):
            if not _forgotten_between(history, first, second):
                yield Violation("replay_differs", f"key {key}: {first.name} and {second.name} both heard a new result")


def _forgotten_between(history: History, first: Operation, second: Operation) -> bool:
    """Whether the result of the one who was answered first may have been forgotten before the other was."""
    assert first.answer is not None
    assert second.answer is not None
    earlier = first if first.answer.at <= second.answer.at else second
    return may_be_forgotten(history, earlier, max(first.answer.at, second.answer.at))


def unclear_answers(history: History) -> Iterator[Violation]:
    """Every answer is a result or an error with an outcome, and its exit or HTTP status says the same."""
    for operation in _answered(history):
        answer = operation.answer
        assert answer is not None
        if answer.heard == "error" and (answer.outcome not in OUTCOMES or answer.kind == UNFORESEEN):
            yield Violation("unclear_answer", f"{operation.name} heard {_short(operation)}")
        if answer.exit is not None and (answer.exit == 0) != (operation.told == "ok"):
            yield Violation("unclear_answer", f"{operation.name}: exit status {answer.exit}, {_short(operation)}")
        named = {UNKNOWN_EXIT: "unknown", WAITS_EXIT: WAITS}.get(answer.exit or 0)
        if named is not None and operation.told != named:
            yield Violation("unclear_answer", f"{operation.name}: exit status {answer.exit}, {_short(operation)}")
        if answer.status is not None and (200 <= answer.status < 300) != (answer.heard == "ok"):
            yield Violation("unclear_answer", f"{operation.name}: HTTP status {answer.status}, {_short(operation)}")


def _answered(history: History) -> Iterator[Operation]:
    return (
        operation
        for operation in history.operations
        if operation.answer is not None and operation.answer.heard != "nothing"
    )


def _identity(operation: Operation) -> Any:
    """What must be equal in all results of a key; a payment's status and dates may move on."""
    assert operation.answer is not None
    output = operation.answer.output
    return output.get("id") if operation.action == PAYMENT else output


def _number(value: Any) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def _short(operation: Operation) -> str:
    answer = operation.answer
    assert answer is not None
    if answer.heard == "ok":
        return f"ok{' (replayed)' if answer.replayed else ''} {str(_identity(operation))[:120]}"
    return f"{answer.outcome} ({answer.kind}) {str(answer.error.get('message') or answer.document)[:160]}"
