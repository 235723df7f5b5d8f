"""What to do with a key that was used before: wait for its run, return its result, look it up, or take it over."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from connector.core.errors import OutcomeUnknown
from connector.core.heartbeat import DEAD_AFTER_SECONDS, BeatObserver
from connector.core.messages import say
from connector.runtime import run_audit
from connector.runtime.approval import refused_earlier
from connector.runtime.find_payment import Found, is_same_request
from connector.runtime.one_write import (
    Write,
    key_conflict,
    outcome_unknown,
    proof_in,
    refused_before,
    single_step,
    try_write,
)
from connector.runtime.result import WAITS, Credits, Result
from connector.runtime.steps import ReadStep, SleepStep, Steps, WriteStep, before_sending

if TYPE_CHECKING:
    from connector.store.runs import Run

OBSERVE_SECONDS = 0.1
MAX_WAIT_FOR_OTHERS = 180.0


def resume(one: Write, found: Run) -> Steps[Result | bool]:
    """Handle a key that was used before: return its result, True if it is ours to send, False to try again."""
    from connector.store import approvals, runs

    run, context = one.run, one.context
    same = is_same_request(context.action, one.inputs, one.mark, run.digest, found.digest)
    if found.action != run.action or not same:
        raise key_conflict(one)
    if found.state == WAITS:
        waiting = yield ReadStep(partial(approvals.find, run=found.id))
        return Result.waiting(run.action, found.id, waiting.expires_at)
    if found.state in {"rejected", "expired"}:
        raise (yield ReadStep(partial(refused_earlier, run=found)))
    found = yield from observe(run.workspace, found)
    now = context.clock.utcnow()
    outcome = found.outcome or {}
    if found.state == "done" or (found.state == "settled" and outcome.get("happened", True)):
        return Result(run.action, outcome.get("output"), Credits(Decimal(0), None), replayed=True, run=found.id)
    if found.state == "refused" and proof_in(outcome) == "assumed" and not one.again and not one.repeatable:
        payment = yield from find_again(one, (0.0,))
        if payment is None:
            raise refused_before(found.id, outcome)
        return (yield from _correct(one, found, payment))
    if found.state in {"claimed", "refused", "settled"} or one.repeatable:
        taken: bool = yield from before_sending(
            single_step(WriteStep(partial(runs.take_over, found=found, run=run, now=now)))
        )
        return taken
    if found.state == "sending":  # its owner is dead
        outcome = yield from park(found, now)
    payment = yield from find_again(one, (0.0,))
    if payment is None:
        raise outcome_unknown(replace(one, run=replace(run, id=found.id)), outcome)
    return (yield from _correct(one, found, payment))


def _correct(one: Write, found: Run, payment: Found) -> Steps[Result]:
    """Record that the service shows a run that was unknown, or refused without proof."""
    context = one.context
    result = {"output": payment, "cost": context.action.cost.credits}
    now = context.clock.utcnow()
    yield from try_write(partial(run_audit.resolve, found=found, state="done", outcome=result, now=now))
    return Result(one.run.action, payment, Credits(Decimal(0), None), replayed=True, run=found.id)


def park(found: Run, now: datetime) -> Steps[dict[str, Any]]:
    """Record as unknown a run whose owner died while sending it; return its outcome."""
    outcome = OutcomeUnknown(say("parked")).as_dict()
    yield from try_write(partial(run_audit.resolve, found=found, state="unknown", outcome=outcome, now=now))
    return outcome


def observe(workspace: str, found: Run) -> Steps[Run]:
    """Wait until a run in progress has ended or its owner is dead; return its newest state."""
    from connector.store import runs

    started, observer = time.monotonic(), BeatObserver(DEAD_AFTER_SECONDS)
    while found.state in runs.IN_PROGRESS and not observer.is_dead(found.id, found.pulse, time.monotonic()):
        if time.monotonic() - started > MAX_WAIT_FOR_OTHERS:
            raise OutcomeUnknown(say("still_running"), remedy=say("still_running_remedy"), retryable=True)
        yield SleepStep(OBSERVE_SECONDS)
        newest = yield ReadStep(partial(runs.find, workspace=workspace, run_id=found.id))
        if newest is None:
            break
        found = newest
    return found


def find_again(one: Write, delays: tuple[float, ...]) -> Steps[Found | None]:
    """Search the service for a write after each delay, the last time thoroughly; what fails proves nothing."""
    finder = one.finder
    if finder is None:
        return None
    for index, delay in enumerate(delays):
        yield SleepStep(delay)
        thorough = index == len(delays) - 1
        try:
            found = yield from (finder.find(one.mark) if thorough else finder.find_among_newest(one.mark))
        except Exception:  # noqa: S112 - whatever fails now, the write may have been made
            continue
        if found is not None:
            return found
    return None
