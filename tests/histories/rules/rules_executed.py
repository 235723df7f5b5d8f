"""Rules about what the service executed: no key twice, no press twice, nothing that nobody asked for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tests.histories.excuses import SLACK, may_be_forgotten, may_be_repeated, was_forgotten
from tests.histories.rules.reading import (
    KEY_NAME,
    NOTHING_DONE,
    PAYMENT,
    WAITS,
    Decision,
    Execution,
    History,
    Operation,
)
from tests.histories.rules.violation import Violation

ON_ITS_WAY = 1.0
"""Seconds that a payment may be on its way after the last check."""


def keys_executed_twice(history: History) -> Iterator[Violation]:
    """No key is executed twice, whatever its inputs."""
    for key, attempts in history.by_key().items():
        executed = history.executed_under(key)
        for first, second in pairwise(executed):
            if not may_be_repeated(history, first, second, attempts):
                yield Violation("executed_twice", f"key {key}: {first.name} and {second.name}")


def presses_executed_twice(history: History) -> Iterator[Violation]:
    """Without a key, equal inputs are executed once, and once more for each time that somebody said `again`."""
    for mark, presses in history.keyless_by_mark().items():
        executed = history.executions_of(presses)
        # A payment without a key carries the id of its run, and a restored database does not know that either.
        forgotten = sum(was_forgotten(history, first.arrived, second.arrived) for first, second in pairwise(executed))
        allowed = 1 + sum(press.again for press in presses) + forgotten
        if len(executed) > min(allowed, len(presses)):
            names = ", ".join(execution.name for execution in executed)
            yield Violation("pressed_twice", f"{mark}: {len(presses)} presses, {allowed} allowed: {names}")


def executed_for_nobody(history: History) -> Iterator[Violation]:
    """Each execution belongs to an operation that was under way and was not told that nothing was done."""
    for execution in history.executions:
        attempts = [
            operation
            for operation in history.operations
            if operation.mark == execution.mark and operation.action == execution.action
        ]
        if not attempts:
            yield Violation("executed_for_nobody", f"{execution.name}: nobody asked for it")
            continue
        senders = [attempt for attempt in attempts if may_have_sent(attempt, execution)]
        if not senders:
            answers = ", ".join(f"{attempt.name} was told {attempt.told}" for attempt in attempts)
            denied = any(attempt.told in NOTHING_DONE for attempt in attempts)
            yield Violation("false_not_sent" if denied else "executed_for_nobody", f"{execution.name}: {answers}")


def may_have_sent(operation: Operation, execution: Execution) -> bool:
    """Whether this operation can have sent it, going by its times and by what its caller was told."""
    if operation.at > execution.arrived + SLACK:
        return False
    answer = operation.answer
    if answer is None or answer.heard == "nothing":
        return answer is None or answer.reached
    if operation.told == WAITS:
        return True
    return operation.told not in NOTHING_DONE and execution.arrived <= answer.at + SLACK


def executed_without_leave(history: History) -> Iterator[Violation]:
    """What needs an approval is executed only after somebody approved it, and not after it was rejected, or its asker
    or approver was revoked. What a restored database has forgotten of that is held against nobody."""
    for execution in history.executions:
        if execution.mark not in history.need_approval:
            continue
        arrived = execution.arrived
        decisions = [decision for decision in history.decisions_about(execution.mark) if decision.at <= arrived + SLACK]
        forgotten = any(was_forgotten(history, at, arrived) for at in history.policies)
        if not forgotten and not any(decision.what == "approves" for decision in decisions):
            yield Violation("executed_without_leave", f"{execution.name} was not approved")
        for decision in decisions:
            if decision.what == "approves" or was_forgotten(history, decision.at, arrived):
                continue
            if arrived > decision.at + _may_be_on_its_way(history, decision):
                late = f"{arrived - decision.at:.1f} s after it was {decision.what}"
                yield Violation("executed_without_leave", f"{execution.name} was executed {late}")


def _may_be_on_its_way(history: History, decision: Decision) -> float:
    """Return for how many seconds after a decision what was approved before may still arrive."""
    if not any(
        other.what == "approves" and other.at <= decision.at for other in history.decisions_about(decision.mark)
    ):
        return SLACK
    # Whoever is stopped between the last check and the first byte sends when it goes on.
    stopped = any(begins <= decision.at <= ends + ON_ITS_WAY for begins, ends in history.stopped)
    return float("inf") if stopped else ON_ITS_WAY


def payments_without_their_key(history: History) -> Iterator[Violation]:
    """A payment carries its key, so that it can be found at the service."""
    for key, attempts in history.by_key().items():
        keys = {
            operation.key
            for operation in history.operations
            if operation.mark in {attempt.mark for attempt in attempts}
        }
        for execution in history.executions_of(attempts):
            if execution.action == PAYMENT and execution.custom_fields.get(KEY_NAME) not in keys:
                yield Violation("unmarked", f"{execution.name} does not carry the key {key}")


def unknown_writes_repeated(history: History) -> Iterator[Violation]:
    """A write that equals one of unknown outcome under another key is not sent until a person has settled that."""
    for execution in history.executions:
        same = [operation for operation in history.operations if operation.mark == execution.mark]
        for parked in same:
            if parked.told != "unknown" or parked.answer is None or _found_since(history, parked, execution):
                continue
            others = [attempt for attempt in same if attempt.key != parked.key and attempt.at > parked.answer.at]
            senders = [attempt for attempt in same if may_have_sent(attempt, execution)]
            if senders and all(attempt in others for attempt in senders):
                yield Violation("unknown_repeated", f"{execution.name} repeats {parked.name}")
                break


def _found_since(history: History, parked: Operation, execution: Execution) -> bool:
    """Whether the parked write may have been found or forgotten by the time of the execution."""
    assert parked.answer is not None
    if may_be_forgotten(history, parked, execution.arrived):
        return True
    if parked.action != PAYMENT:
        return False
    # A payment that was made can be found by anyone at any time, and is then no longer unknown.
    return any(other.mark == parked.mark and other.arrived < execution.arrived for other in history.executions)
