"""Sends a write at most once, and says about its outcome only what is known.

Once a write may have left, its caller hears the result, the service's own refusal, or that the outcome is unknown,
whatever fails afterwards. What certainly never left is reported as not sent.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from connector.core.client import Call, Reply
from connector.core.errors import KontorError, LikelyRepeat, OutcomeUnknown, StoreDown
from connector.core.messages import say
from connector.runtime import run_audit
from connector.runtime.approval import ask
from connector.runtime.context import ActionContext
from connector.runtime.gate import check_policy, reserve
from connector.runtime.held_back import hold_back
from connector.runtime.look import same_write
from connector.runtime.one_write import (
    Write,
    cancelled,
    equals_unknown,
    error_as_dict,
    key_conflict,
    look_failed,
    new_run,
    outcome_unknown,
    single_step,
)
from connector.runtime.result import Result
from connector.runtime.resuming import MAX_WAIT_FOR_OTHERS, look_again, observe, park, resume
from connector.runtime.steps import BackgroundWrite, ReadStep, Recorded, SendStep, Steps, WriteStep, before_sending
from connector.runtime.write_outcome import finish_found, finishing, record_outcome, release

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.store.audit import NewRow
    from connector.store.runs import Run

LOOK_DELAYS = (0.3, 1.0, 2.0)
"""Seconds before each look for a write whose answer was lost."""
LOOK_DELAYS_AFTER_TIMEOUT = (1.0, 3.0, 6.0)
"""The same after a timeout: the service may still be processing it."""
MAX_CLAIMS = 5
CONNECT_ROLE = "bank_connect"
"""Of the action whose output names what is watched from then on."""


def write(
    context: ActionContext,
    inputs: dict[str, Any],
    planned: Call,
    key: str | None,
    again: bool,
    result_of: Callable[[Call, Reply], Result],
) -> Steps[Result]:
    """Make the write, at most once per key."""
    workspace = yield from before_sending(context.workspace())
    one = Write(context, new_run(context, workspace, inputs, key), inputs, again, planned, result_of)
    context.heartbeat.begin(one.run.owner)
    try:
        if key is not None:
            return (yield from _write_under_key(one))
        policy, reasons = yield from check_policy(one)
        if policy.repeat_minutes != one.repeat_minutes:
            one = replace(one, repeat_minutes=policy.repeat_minutes)
        return (yield from (ask(one, reasons) if reasons else _send(one)))
    except LikelyRepeat as error:
        yield from hold_back(one, error)
        raise
    finally:
        context.heartbeat.end(one.run.owner)


def send_approved(
    context: ActionContext,
    found: Run,
    result_of: Callable[[Call, Reply], Result],
    planned: Call,
    inputs: dict[str, Any],
) -> Steps[Result]:
    """Send a run that was approved; raise `ClaimLost` when another host does."""
    from connector.store import runs

    fresh = new_run(context, found.workspace, inputs, found.key)
    one = Write(context, replace(fresh, id=found.id), inputs, False, planned, result_of, approved=True)
    context.heartbeat.begin(one.run.owner)
    try:
        now = context.clock.utcnow()
        if not (yield WriteStep(partial(runs.take_over, found=found, run=one.run, now=now))):
            raise runs.ClaimLost
        return (yield from _check_look_and_send(one))
    except LikelyRepeat as error:
        yield from hold_back(one, error)
        raise
    finally:
        context.heartbeat.end(one.run.owner)


def _check_look_and_send(one: Write) -> Steps[Result]:
    """Send a claimed run, once the policy allows it and the service does not show it yet."""
    try:
        _, reasons = yield from check_policy(one)
    except Exception as error:
        yield from release(one, error)
        raise
    if reasons:
        return (yield from ask(one, reasons))
    made = yield from _look_before_sending(one)
    return made if made is not None else (yield from _send(one))


def _write_under_key(one: Write) -> Steps[Result]:
    from connector.store import runs
    from connector.store.run_cancelling import was_cancelled

    lost = False
    for _ in range(MAX_CLAIMS):
        now = one.context.clock.utcnow()
        # Not durable: if a power failure loses the claim, nothing has been sent.
        claim = WriteStep(partial(runs.claim, run=one.run, now=now), durable=False)
        found = yield from before_sending(single_step(claim))
        if found is not None:
            if lost and was_cancelled(found):  # while it waited here; a later press may send it after all
                raise cancelled()
            earlier = yield from resume(one, found)
            if isinstance(earlier, Result):
                return earlier
            if not earlier:
                continue
            one = replace(one, run=replace(one.run, id=found.id))
        try:
            return (yield from _check_look_and_send(one))
        except runs.ClaimLost:
            lost = True  # another caller has taken it over, or a person cancelled it: see what it does
    raise StoreDown(say("claim_lost"))


def _look_before_sending(one: Write) -> Steps[Result | None]:
    """Look whether the service shows the key already: this database may be new, restored or not the only one."""
    look = one.look
    if look is None:
        return None
    try:
        found = yield from look.steps(thorough=True)
    except KontorError as error:
        yield from release(one, error)
        raise look_failed(error) from error
    if found is None:
        return None
    if not same_write(look.how, found, one.run.digest):
        yield from release(one, conflict := key_conflict(one))
        raise conflict
    return (yield from finish_found(one, found, Decimal(0)))


def _send(one: Write) -> Steps[Result]:
    """Send the write, once no other process sends an equal one that may turn out to be unknown."""
    from connector.store.runs import EqualInFlight

    deadline = time.monotonic() + MAX_WAIT_FOR_OTHERS
    while True:
        try:
            return (yield from _send_recorded(one))
        except EqualInFlight as equal:
            try:
                yield from _wait_for_equal(one, equal.run_id, deadline)
            except LikelyRepeat as error:
                if one.is_recorded:
                    yield from release(one, error)
                raise


def _wait_for_equal(one: Write, run_id: str, deadline: float) -> Steps[None]:
    """Wait until an equal run has ended; raise `LikelyRepeat` when its owner is dead, or when that takes too long."""
    from connector.store import runs

    workspace = one.run.workspace
    found = yield from before_sending(single_step(ReadStep(partial(runs.find, workspace=workspace, run_id=run_id))))
    if found is None:
        return
    try:
        found = yield from observe(workspace, found)
    except OutcomeUnknown:
        deadline = 0.0
    if found.state == "sending" and deadline:  # its owner is dead
        yield from park(found, one.context.clock.utcnow())
        raise equals_unknown(run_id)
    if time.monotonic() > deadline:
        raise LikelyRepeat(say("likely_repeat", run=run_id), details={"run": run_id})


def _send_recorded(one: Write) -> Steps[Result]:
    """Send the write once its permit is in hand and its state is committed; record the outcome."""
    from connector.store import runs
    from connector.store.failures import DATABASE_ERRORS, store_down

    confirm, now = partial(runs.confirm_sending, run=one.run), one.context.clock.utcnow()
    first = Recorded(_starting(one, now), confirm, durable=one.is_recorded)
    call = one.call
    try:
        reply: Reply = yield SendStep(call, first)
    except runs.EqualInFlight:
        raise
    except runs.ClaimLost:
        if one.is_recorded:
            raise
        raise LikelyRepeat(say("settled_meanwhile", run=one.run.id), details={"run": one.run.id}) from None
    except Exception as error:
        if not first.committed:
            # If the commit itself was lost, the run says `sending` though nothing was sent: put that right.
            if one.is_recorded or isinstance(error, DATABASE_ERRORS):
                yield from release(one, error)
            if isinstance(error, DATABASE_ERRORS):
                raise store_down(error) from error
            raise
        if isinstance(error, KontorError) and error.outcome != "unknown":
            yield from record_outcome(one, "refused", error.as_dict(), sent_at=now)
            raise
        yield from record_outcome(one, "unknown", error_as_dict(error), sent_at=now)
        return (yield from _resolve_unknown(one, error))
    result = replace(one.result_of(call, reply), run=one.run.id)
    # Written in the background: if a power failure loses it, the run is unknown and looked up or settled as usual.
    action = one.context.action
    if not one.is_recorded and action.role != CONNECT_ROLE and action.money is None:  # nobody asks for the output again
        yield BackgroundWrite(finishing(one, "done", {"cost": result.credits.cost}, sent_at=now), deferred=True)
    else:
        outcome = {"output": result.output, "cost": result.credits.cost}
        yield BackgroundWrite(finishing(one, "done", outcome, sent_at=now))
    return result


def _starting(one: Write, now: datetime) -> Callable[[Connection], None]:
    """Return the change that records, right before the first byte, that the write is being sent."""
    from connector.store.first_sending import record_sending

    if one.is_guarded:
        return record_sending(one.run, now, partial(_start, one, now, None))
    return partial(_start, one, now, run_audit.sent(one, now))


def _start(one: Write, now: datetime, entry: NewRow | None, connection: Connection) -> None:
    from connector.store import audit, repeat_guard, runs

    run = one.run
    reserve(connection, one)
    if not one.repeatable:
        equal = runs.unresolved_equal_to(connection, run)
        if equal is not None and equal[0] == "unknown":
            raise equals_unknown(equal[1])
        if one.is_recorded or one.again:
            repeat_guard.record(connection, run, now)
        elif (earlier := repeat_guard.admit(connection, run, now, one.repeat_window)) is not None:
            raise LikelyRepeat(say("likely_repeat", run=earlier), details={"run": earlier})
        if equal is not None:
            raise runs.EqualInFlight(equal[1])
    if one.is_recorded:
        runs.start_sending(connection, run.id, run.owner, now)
    elif not runs.insert(connection, run, "sending", now):
        return  # made again after its connection was lost: it is recorded already
    if entry is not None:
        audit.insert_row(connection, entry)


def _resolve_unknown(one: Write, error: Exception) -> Steps[Result]:
    """Look for a write whose answer was lost; raise `OutcomeUnknown` when that is impossible or finds nothing."""
    details = getattr(error, "details", None)
    slow = isinstance(details, dict) and details.get("timed_out")
    found = yield from look_again(one.look, LOOK_DELAYS_AFTER_TIMEOUT if slow else LOOK_DELAYS)
    if found is None:
        raise outcome_unknown(one, error_as_dict(error), error) from error
    return (yield from finish_found(one, found, Decimal(one.context.action.cost.credits)))
