"""What nothing can know, and the checker therefore does not hold against anyone.

A database put back from a backup has forgotten what was sent after the backup was taken. Bookings, and payments without
a key, cannot be looked up at the service, so they may be repeated then; payments with a key can be, unless the payments
list lied at that moment.
"""

from __future__ import annotations

from tests.histories.rules.reading import PAYMENT, Execution, History, Operation

SLACK = 0.001
"""Seconds within which times count as equal; harness and sandbox use one clock."""


def was_forgotten(history: History, sent: float, later: float) -> bool:
    """Whether what was sent at `sent` was forgotten by a restore before `later`."""
    return any(
        backup - SLACK <= sent <= restored + SLACK and restored <= later + SLACK
        for backup, restored in history.restores
    )


def may_be_forgotten(history: History, operation: Operation, later: float) -> bool:
    """Whether a restore before `later` may have forgotten what an operation did; it may have been sent until it was
    answered."""
    ended = operation.answer.at if operation.answer is not None else later
    return any(backup <= ended and operation.at <= restored <= later for backup, restored in history.restores)


def may_be_repeated(history: History, first: Execution, second: Execution, attempts: list[Operation]) -> bool:
    """Whether nobody could know of the first execution when the second was sent."""
    if not was_forgotten(history, first.arrived, second.arrived):
        return False
    if first.action != PAYMENT:
        return True
    restored = min(at for _, at in history.restores if first.arrived <= at + SLACK)
    begun = [attempt.at for attempt in attempts if restored - SLACK <= attempt.at <= second.arrived]
    return was_invisible(history, first, min(begun, default=restored), second.arrived)


def was_invisible(history: History, payment: Execution, begins: float, ends: float) -> bool:
    """Whether the payments list did not show the payment with its key at some moment between."""
    begins -= SLACK
    settings = [(0.0, 0.0, False), *history.list_settings]
    for position, (at, lag, hidden) in enumerate(settings):
        until = settings[position + 1][0] if position + 1 < len(settings) else float("inf")
        if until < begins or at > ends:
            continue
        if hidden or payment.executed + lag > max(at, begins):
            return True
    return False
