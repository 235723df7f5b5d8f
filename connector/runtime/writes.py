"""Sends a write at most once, and says about its outcome only what is known.

Once a write may have left, its caller hears the result, the service's own refusal, or that the outcome is unknown,
whatever fails afterwards. What certainly never left is reported as not sent.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from connector.core import digest
from connector.core.client import Call, Reply
from connector.core.errors import InputError, KontorError, LikelyRepeat, OutcomeUnknown, StoreDown
from connector.core.heartbeat import DEAD_AFTER_SECONDS, BeatObserver
from connector.core.messages import say
from connector.core.values import json
from connector.runtime.context import ActionContext
from connector.runtime.look import Found, Look, call_with_marks, is_same_request, look_for, same_write
from connector.runtime.result import Credits, Result
from connector.runtime.steps import (
    BackgroundWrite,
    ReadStep,
    Recorded,
    SendStep,
    SleepStep,
    Steps,
    WriteStep,
    before_sending,
)

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.store.runs import NewRun, Run

LOOK_DELAYS = (0.3, 1.0, 2.0)
"""Seconds before each look for a write whose answer was lost."""
LOOK_DELAYS_AFTER_TIMEOUT = (1.0, 3.0, 6.0)
"""The same after a timeout: the service may still be processing it."""
OBSERVE_SECONDS = 0.1
MAX_WAIT_FOR_OTHERS = 180.0
MAX_CLAIMS = 5
CONNECT_ROLE = "bank_connect"
"""Of the action whose output names what is watched from then on."""
PROVIDER_FAILED = "provider_failed_write"
"""The accounting provider reports a failure of a write."""

_PROCESS, _ATTEMPTS = uuid4().hex, count(1)
"""Together they identify an attempt across all processes."""


@dataclass(frozen=True, slots=True)
class Write:
    """One attempt to make a write."""

    context: ActionContext
    run: NewRun
    inputs: dict[str, Any]
    again: bool
    planned: Call
    """The call as it was planned, without marks."""
    result_of: Callable[[Call, Reply], Result]

    @property
    def mark(self) -> str:
        """What the service shows of it later: the key, or the id of the run."""
        return self.run.key if self.run.key is not None else self.run.id

    @property
    def call(self) -> Call:
        """The call, with its marks."""
        context = self.context
        if context.action.read_back is None:
            return self.planned
        return call_with_marks(context.action, self.inputs, self.mark, self.run.digest, context.credential)

    @property
    def look(self) -> Look | None:
        """How to find it at the service; None when that is impossible."""
        context = self.context
        return look_for(context.action, self.mark, context.find_action, context.credential)

    @property
    def repeatable(self) -> bool:
        """Whether doing it twice has the same result as doing it once."""
        return self.context.action.repeat != "duplicates"


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
    one = Write(context, _new_run(context, workspace, inputs, key), inputs, again, planned, result_of)
    context.heartbeat.begin(one.run.owner)
    try:
        return (yield from (_send(one) if key is None else _write_under_key(one)))
    finally:
        context.heartbeat.end(one.run.owner)


def _write_under_key(one: Write) -> Steps[Result]:
    from connector.store import runs

    for _ in range(MAX_CLAIMS):
        now = one.context.clock.utcnow()
        # Not durable: if a power failure loses the claim, nothing has been sent.
        claim = WriteStep(partial(runs.claim, run=one.run, now=now), durable=False)
        found = yield from before_sending(_single(claim))
        if found is not None:
            earlier = yield from _resume(one, found)
            if isinstance(earlier, Result):
                return earlier
            if not earlier:
                continue
            one = replace(one, run=replace(one.run, id=found.id))
        try:
            made = yield from _look_before_sending(one)
            return made if made is not None else (yield from _send(one))
        except runs.ClaimLost:
            continue  # another caller has taken it over: see what it does
    raise StoreDown(say("claim_lost"))


def _look_before_sending(one: Write) -> Steps[Result | None]:
    """Look whether the service shows the key already: this database may be new, restored or not the only one."""
    look = one.look
    if look is None:
        return None
    try:
        found = yield from look.steps(thorough=True)
    except KontorError as error:
        yield from _release(one, error)
        raise _look_failed(error) from error
    if found is None:
        return None
    if not same_write(look.how, found, one.run.digest):
        yield from _release(one, conflict := _key_conflict(one))
        raise conflict
    return (yield from _finish_found(one, found, Decimal(0)))


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
                if one.run.key is not None:
                    yield from _release(one, error)
                raise


def _wait_for_equal(one: Write, run_id: str, deadline: float) -> Steps[None]:
    """Wait until an equal run has ended; raise `LikelyRepeat` when its owner is dead, or when that takes too long."""
    from connector.store import runs

    workspace = one.run.workspace
    found = yield from before_sending(_single(ReadStep(partial(runs.find, workspace=workspace, run_id=run_id))))
    if found is None:
        return
    try:
        found = yield from observe(workspace, found)
    except OutcomeUnknown:
        deadline = 0.0
    if found.state == "sending" and deadline:  # its owner is dead
        yield from _park(found, one.context.clock.utcnow())
        raise _equals_unknown(run_id)
    if time.monotonic() > deadline:
        raise LikelyRepeat(say("likely_repeat", run=run_id), details={"run": run_id})


def _send_recorded(one: Write) -> Steps[Result]:
    """Send the write once its permit is in hand and its state is committed; record the outcome."""
    from connector.store import runs
    from connector.store.failures import DATABASE_ERRORS

    confirm = partial(runs.confirm_sending, run=one.run)
    first = Recorded(_starting(one), confirm, durable=one.run.key is not None)
    call = one.call
    try:
        reply: Reply = yield SendStep(call, first)
    except runs.EqualInFlight:
        raise
    except runs.ClaimLost:
        if one.run.key is not None:
            raise
        raise LikelyRepeat(say("settled_meanwhile", run=one.run.id), details={"run": one.run.id}) from None
    except Exception as error:
        if not first.committed:
            # If the commit itself was lost, the run says `sending` though nothing was sent: put that right.
            if one.run.key is not None or isinstance(error, DATABASE_ERRORS):
                yield from _release(one, error)
            if isinstance(error, DATABASE_ERRORS):
                raise StoreDown(say("store_down", why=type(error).__name__)) from error
            raise
        if isinstance(error, KontorError) and error.outcome != "unknown":
            yield from _record(one, "refused", error.as_dict())
            raise
        yield from _record(one, "unknown", _as_dict(error))
        return (yield from _resolve_unknown(one, error))
    result = replace(one.result_of(call, reply), run=one.run.id)
    # Written in the background: if a power failure loses it, the run is unknown and looked up or settled as usual.
    if one.run.key is None and one.context.action.role != CONNECT_ROLE:  # nobody can ask for the output again
        yield BackgroundWrite(_finish(one, "done", {"cost": result.credits.cost}), deferred=True)
    else:
        yield BackgroundWrite(_finish(one, "done", {"output": result.output, "cost": result.credits.cost}))
    return result


def _starting(one: Write) -> Callable[[Connection], None]:
    """Return the change that records, right before the first byte, that the write is being sent."""
    from connector.store.first_sending import record_sending

    now = one.context.clock.utcnow()
    start = partial(_start, one, now)
    guarded = one.run.key is None and not one.again and not one.repeatable
    return record_sending(one.run, now, start) if guarded else start


def _start(one: Write, now: datetime, connection: Connection) -> None:
    from connector.store import repeat_guard, runs

    run = one.run
    if not one.repeatable:
        equal = runs.unresolved_equal_to(connection, run)
        if equal is not None and equal[0] == "unknown":
            raise _equals_unknown(equal[1])
        if run.key is not None or one.again:
            repeat_guard.record(connection, run, now)
        elif (earlier := repeat_guard.admit(connection, run, now)) is not None:
            raise LikelyRepeat(say("likely_repeat", run=earlier), details={"run": earlier})
        if equal is not None:
            raise runs.EqualInFlight(equal[1])
    if run.key is not None:
        runs.start_sending(connection, run.id, run.owner, now)
    else:
        runs.insert(connection, run, "sending", now)


def _resume(one: Write, found: Run) -> Steps[Result | bool]:
    """Handle a key that was used before: return its result, True if it is ours to send, False to try again."""
    from connector.store import runs

    run, context = one.run, one.context
    same = is_same_request(context.action, one.inputs, one.mark, run.digest, found.digest)
    if found.action != run.action or not same:
        raise _key_conflict(one)
    found = yield from observe(run.workspace, found)
    now = context.clock.utcnow()
    outcome = found.outcome or {}
    if found.state == "done" or (found.state == "settled" and outcome.get("happened", True)):
        return Result(run.action, outcome.get("output"), Credits(Decimal(0), None), replayed=True, run=found.id)
    if found.state in {"claimed", "refused", "settled"} or one.repeatable:
        taken: bool = yield from before_sending(
            _single(WriteStep(partial(runs.take_over, found=found, run=run, now=now)))
        )
        return taken
    if found.state == "sending":  # its owner is dead
        outcome = yield from _park(found, now)
    payment = yield from _look_again(one.look, (0.0,))
    if payment is None:
        raise _unknown(replace(one, run=replace(run, id=found.id)), outcome)
    result = {"output": payment, "cost": context.action.cost.credits}
    yield from _try_write(partial(runs.resolve, found=found, state="done", outcome=result, now=now))
    return Result(run.action, payment, Credits(Decimal(0), None), replayed=True, run=found.id)


def _park(found: Run, now: datetime) -> Steps[dict[str, Any]]:
    """Record as unknown a run whose owner died while sending it; return its outcome."""
    from connector.store import runs

    outcome = OutcomeUnknown(say("parked")).as_dict()
    yield from _try_write(partial(runs.resolve, found=found, state="unknown", outcome=outcome, now=now))
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


def _resolve_unknown(one: Write, error: Exception) -> Steps[Result]:
    """Look for a write whose answer was lost; raise `OutcomeUnknown` when that is impossible or finds nothing."""
    details = getattr(error, "details", None)
    slow = isinstance(details, dict) and details.get("timed_out")
    found = yield from _look_again(one.look, LOOK_DELAYS_AFTER_TIMEOUT if slow else LOOK_DELAYS)
    if found is None:
        raise _unknown(one, _as_dict(error), error) from error
    return (yield from _finish_found(one, found, Decimal(one.context.action.cost.credits)))


def _look_again(look: Look | None, delays: tuple[float, ...]) -> Steps[Found | None]:
    """Look once after each delay; a look that fails proves nothing."""
    for index, delay in enumerate(delays if look is not None else ()):
        assert look is not None
        yield SleepStep(delay)
        try:
            found = yield from look.steps(thorough=index == len(delays) - 1)
        except Exception:  # noqa: S112 - whatever fails now, the write may have been made
            continue
        if found is not None:
            return found
    return None


def _finish_found(one: Write, found: Found, cost: Decimal) -> Steps[Result]:
    yield from _record(one, "done", {"output": found, "cost": cost})
    return Result(one.run.action, found, Credits(cost, None), replayed=True, run=one.run.id)


def _release(one: Write, error: Exception) -> Steps[None]:
    """Give up a claim: nothing was sent, so the key may be used again."""
    yield from _record(one, "refused", _as_dict(error))


def _record(one: Write, state: Any, outcome: Any) -> Steps[None]:
    yield from _try_write(_finish(one, state, outcome))


def _finish(one: Write, state: Any, outcome: Any) -> Callable[[Connection], None]:
    from connector.store import runs

    run, now = one.run, one.context.clock.utcnow()

    def change(connection: Connection) -> None:
        recorded = runs.finish(connection, run, state, outcome, now)
        # Without a key the run was not written durably, and a crash of the database may have lost it.
        if not recorded and runs.find(connection, run.workspace, run.id) is None:
            runs.insert(connection, run, "sending", now)
            runs.finish(connection, run, state, outcome, now)

    return change if state == "unknown" else runs.finishing(run, state, outcome, now)


def _try_write(change: Callable[[Connection], Any]) -> Steps[None]:
    """Commit a change if possible: what the caller is told does not depend on it."""
    from connector.store.failures import DATABASE_ERRORS

    try:
        yield WriteStep(change)
    except DATABASE_ERRORS:
        return


def _single(step: WriteStep | ReadStep) -> Steps[Any]:
    return (yield step)


def _new_run(context: ActionContext, workspace: str, inputs: dict[str, Any], key: str | None) -> NewRun:
    from connector.store.runs import NewRun, new_id

    kept = inputs if context.inputs.file_fields.isdisjoint(inputs) else digest.without_files(inputs)
    return NewRun(
        id=new_id(context.clock.utcnow()),
        workspace=workspace,
        key=key,
        credential=context.credential.fingerprint,
        action=context.action.id,
        digest=digest.digest(context.action.id, inputs),
        inputs=json.encode_clean(kept),
        owner=f"{_PROCESS}-{next(_ATTEMPTS)}",
    )


def _equals_unknown(run_id: str) -> LikelyRepeat:
    remedy = say("equals_unknown_remedy", run=run_id)
    return LikelyRepeat(
        say("equals_unknown", run=run_id), remedy=remedy, details={"run": run_id}, reason="equals_unknown"
    )


def _unknown(one: Write, first: Any, cause: Exception | None = None) -> OutcomeUnknown:
    details = {"run": one.run.id, "key": one.run.key, "first": first}
    if isinstance(cause, KontorError) and cause.reason == PROVIDER_FAILED:  # repeating would only fail again
        remedy = say("parked_remedy", run=one.run.id)
        return OutcomeUnknown(cause.message, remedy=remedy, details=details, reason=cause.reason)
    if one.repeatable:
        return OutcomeUnknown(say("parked"), remedy=say("repeat_is_harmless"), details=details, retryable=True)
    if one.look is None or one.run.key is None:
        return OutcomeUnknown(say("parked"), remedy=say("parked_remedy", run=one.run.id), details=details)
    remedy = say("parked_look_again", key=one.run.key, run=one.run.id)
    return OutcomeUnknown(say("parked"), remedy=remedy, details=details, retryable=True)


def _look_failed(error: KontorError) -> KontorError:
    """Return the error of a look that failed before anything was sent."""
    return type(error)(
        say("look_failed", why=error.message),
        remedy=error.remedy,
        outcome="not_sent",
        retry_at=error.retry_at,
        reconnect_url=error.reconnect_url,
        details=error.details,
        retryable=error.retryable,
    )


def _key_conflict(one: Write) -> InputError:
    return InputError(say("key_conflict", key=one.run.key), remedy=say("key_conflict_remedy"), field="key")


def _as_dict(error: Exception) -> dict[str, Any]:
    return error.as_dict() if isinstance(error, KontorError) else {"kind": "error", "message": type(error).__name__}
