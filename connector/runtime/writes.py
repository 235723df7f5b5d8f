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

from connector.client import Call, Reply
from connector.client.exchange import MAX_ATTEMPTS, retry_pause
from connector.core.errors import KontorError, LikelyRepeat, OutcomeUnknown, RateLimited, StoreDown
from connector.core.intent import Intent
from connector.core.messages import say
from connector.runtime import run_audit
from connector.runtime.approval import ask
from connector.runtime.context import ActionContext
from connector.runtime.find_payment import same_write
from connector.runtime.gate import check_policy, reserve
from connector.runtime.held_back import hold_back
from connector.runtime.one_write import (
    Write,
    cancelled,
    equals_unknown,
    error_as_dict,
    joined,
    key_conflict,
    limited_too_often,
    look_failed,
    new_run,
    outcome_unknown,
    single_step,
)
from connector.runtime.result import Result
from connector.runtime.resuming import MAX_WAIT_FOR_OTHERS, find_again, observe, park, resume
from connector.runtime.steps import (
    Abandoned,
    BackgroundWrite,
    ReadStep,
    Recorded,
    SendStep,
    SleepStep,
    Steps,
    WriteStep,
    before_sending,
)
from connector.runtime.write_outcome import finish_found, finishing, record_outcome, release
from connector.store import runs
from connector.store.failures import DATABASE_ERRORS, store_down
from connector.store.runs import ClaimLost, EqualInFlight

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.store.audit import NewRow
    from connector.store.runs import Run

FIND_DELAYS = (0.3, 1.0, 2.0)
"""Seconds before each search for a write whose answer was lost."""
FIND_DELAYS_AFTER_TIMEOUT = (1.0, 3.0, 6.0)
"""The same after a timeout: the service may still be processing it."""
MAX_CLAIMS = 5
MAX_LIMITS = 1
"""How often one call is sent again after the rate limiter has turned it away."""
CONNECT_ROLE = "bank_connect"
"""Of the action whose output names what is watched from then on."""


def write(
    context: ActionContext,
    inputs: dict[str, Any],
    planned: Call,
    intent: Intent,
    result_of: Callable[[Call, Reply], Result],
) -> Steps[Result]:
    """Make the write, at most once per key."""
    workspace = yield from before_sending(context.workspace())
    one = Write(context, new_run(context, workspace, inputs, intent.key), inputs, intent, planned, result_of)
    context.heartbeat.begin(one.run.owner)
    try:
        if intent.key is not None:
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
    fresh = new_run(context, found.workspace, inputs, found.key)
    one = Write(context, replace(fresh, id=found.id), inputs, Intent(found.key), planned, result_of, approved=True)
    context.heartbeat.begin(one.run.owner)
    try:
        now = context.clock.utcnow()
        if not (yield WriteStep(partial(runs.take_over, found=found, run=one.run, now=now))):
            raise ClaimLost
        return (yield from _check_look_and_send(one))
    except LikelyRepeat as error:
        yield from hold_back(one, error)
        raise
    finally:
        context.heartbeat.end(one.run.owner)


def _check_look_and_send(one: Write) -> Steps[Result]:
    """Send a claimed run, once the policy allows it and the service does not show it yet."""
    try:
        policy, reasons = yield from check_policy(one)
    except Exception as error:
        yield from release(one, error)
        raise
    if policy.repeat_minutes != one.repeat_minutes:
        one = replace(one, repeat_minutes=policy.repeat_minutes)
    if reasons:
        try:
            return (yield from ask(one, reasons))
        except LikelyRepeat as error:
            yield from release(one, error)
            raise
    found = yield from _find_before_sending(one)
    return found if found is not None else (yield from _send(one))


def _write_under_key(one: Write) -> Steps[Result]:
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
        except ClaimLost:
            lost = True  # another caller has taken it over, or a person cancelled it: see what it does
    raise StoreDown(say("claim_lost"))


def _find_before_sending(one: Write) -> Steps[Result | None]:
    """Look whether the service shows the key already: this database may be new, restored or not the only one."""
    finder = one.finder
    if finder is None:
        return None
    try:
        found = yield from before_sending(finder.find(one.mark))
    except KontorError as error:
        failed = look_failed(error)
        yield from release(one, failed)
        raise failed from error
    if found is None:
        return None
    if not same_write(finder.how, found, one.run.digest):
        yield from release(one, conflict := key_conflict(one))
        raise conflict
    return (yield from finish_found(one, found, Decimal(0)))


def _send(one: Write) -> Steps[Result]:
    """Send the write, once no other process sends an equal one that may turn out to be unknown."""
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
    """Send the write, each time as one request whose state is committed before its first byte; record the outcome.

    It is sent again only when nothing left, or when the service's rate limiter turned it away.
    """
    clock, call = one.context.clock, one.call
    ends, failures, limits = clock.monotonic() + call.deadline, 0, 0
    while True:
        now, is_first = clock.utcnow(), not failures and not limits
        change = _starting(one, now) if is_first else partial(_start_again, one, now)
        first = Recorded(change, durable=one.is_recorded)
        try:
            reply: Reply = yield SendStep(replace(call, deadline=max(0.0, ends - clock.monotonic())), first)
            break
        except (EqualInFlight, ClaimLost) as error:
            if one.is_recorded or isinstance(error, EqualInFlight):
                raise
            raise LikelyRepeat(say("settled_meanwhile", run=one.run.id), details={"run": one.run.id}) from None
        except Exception as error:
            if not first.committed:
                raise (yield from _never_sent(one, error, is_recorded=one.is_recorded or not is_first)) from error
            if not isinstance(error, KontorError) or error.outcome != "not_sent":
                return (yield from _settle_failure(one, error, now))
            limited = isinstance(error, RateLimited)
            taken_back = yield from _take_back(one, error, limited)
            if limited and not taken_back:
                return (yield from _settle_failure(one, limited_too_often(), now))
            limits, failures = limits + limited, failures + (not limited)
            pause = 0.0 if limited else retry_pause(failures)  # the permit waits until the limiter allows it
            gives_up = limits > MAX_LIMITS or failures >= MAX_ATTEMPTS or not error.retryable or not taken_back
            if gives_up or clock.monotonic() + pause >= ends:
                found = (yield from find_again(one, (0.0,))) if limited else None
                if found is not None:
                    return (yield from finish_found(one, found, Decimal(one.context.action.cost.credits)))
                yield from release(one, error)
                raise
            try:
                yield SleepStep(clock.real(pause), before_sending=True)
            except Abandoned as abandoned:
                yield from release(one, abandoned)
                raise
            earlier = (yield from _find_before_sending(one)) if limited else None
            if earlier is not None:
                return earlier
    result = replace(one.result_of(call, reply), run=one.run.id)
    # Written in the background: if a power failure loses it, the run is unknown and looked up or settled as usual.
    action = one.context.action
    if not one.is_recorded and action.role != CONNECT_ROLE and action.money is None:  # nobody asks for the output again
        yield BackgroundWrite(finishing(one, "done", {"cost": result.credits.cost}, sent_at=now), deferred=True)
    else:
        outcome = {"output": result.output, "cost": result.credits.cost}
        yield BackgroundWrite(finishing(one, "done", outcome, sent_at=now))
    return result


def _never_sent(one: Write, error: Exception, *, is_recorded: bool) -> Steps[Exception]:
    """Give the run up before anything was sent; return what its caller is told."""
    # If the commit itself was lost, the run says `sending` though nothing was sent: put that right.
    if is_recorded or isinstance(error, DATABASE_ERRORS):
        yield from release(one, error)
    return store_down(error) if isinstance(error, DATABASE_ERRORS) else error


def _take_back(one: Write, error: KontorError, limited: bool) -> Steps[bool]:
    """Return a run that the service did not accept to its claim; False when it must not be sent again."""
    change = partial(runs.take_back, run=one.run, counted=limited, now=one.context.clock.utcnow())
    try:
        return bool((yield WriteStep(change, durable=False)))
    except DATABASE_ERRORS:
        yield from release(one, error)
        raise error from None


def _settle_failure(one: Write, error: Exception, sent_at: datetime) -> Steps[Result]:
    """Record that a write which left was refused, or that nobody knows; a payment is looked up before that is told."""
    if not isinstance(error, KontorError) or error.outcome == "unknown":
        yield from record_outcome(one, "unknown", error_as_dict(error), sent_at=sent_at)
        return (yield from _resolve_unknown(one, error))
    found = yield from find_again(one, (0.0,))
    if found is not None:
        result = yield from finish_found(one, found, Decimal(one.context.action.cost.credits))
        return replace(result, warnings=(say("found_after_refusal", said=error.message),))
    yield from record_outcome(one, "refused", error_as_dict(error), sent_at=sent_at)
    if error.proof == "assumed" and one.run.key is not None and not one.repeatable:
        error.remedy = joined(error.remedy, say("refused_before_remedy"))
    raise error


def _starting(one: Write, now: datetime) -> Callable[[Connection], None]:
    """Return the change that records, right before the first byte, that the write is being sent."""
    from connector.store.first_sending import record_sending

    if one.is_audited_at_its_end:
        return record_sending(one.run, now, partial(_start, one, now, None))
    return partial(_start, one, now, run_audit.sent(one, now))


def _start(one: Write, now: datetime, entry: NewRow | None, connection: Connection) -> None:
    from connector.store import audit, repeat_guard

    run = one.run
    reserve(connection, one)
    if not one.repeatable:
        equal = runs.unresolved_equal_to(connection, run)
        if equal is not None and equal[0] == "unknown":
            raise equals_unknown(equal[1])
        if not one.yields_to_equal:
            repeat_guard.record(connection, run, now)
        elif (earlier := repeat_guard.admit(connection, run, now, one.repeat_window)) is not None:
            raise LikelyRepeat(say("likely_repeat", run=earlier), details={"run": earlier})
        if equal is not None:
            raise EqualInFlight(equal[1])
    if one.is_recorded:
        runs.start_sending(connection, run.id, run.owner, now)
    elif not runs.insert(connection, run, "sending", now):
        return  # made again after its connection was lost: it is recorded already
    if entry is not None:
        audit.insert_row(connection, entry)


def _start_again(one: Write, now: datetime, connection: Connection) -> None:
    """Record that the write is sent once more; what it was checked against has not changed within the call."""
    runs.start_sending(connection, one.run.id, one.run.owner, now)


def _resolve_unknown(one: Write, error: Exception) -> Steps[Result]:
    """Look for a write whose answer was lost; raise `OutcomeUnknown` when that is impossible or finds nothing."""
    details = getattr(error, "details", None)
    slow = isinstance(details, dict) and details.get("timed_out")
    found = yield from find_again(one, FIND_DELAYS_AFTER_TIMEOUT if slow else FIND_DELAYS)
    if found is None:
        raise outcome_unknown(one, error_as_dict(error), error) from error
    return (yield from finish_found(one, found, Decimal(one.context.action.cost.credits)))
