"""Makes a write at most once, and says of its outcome only what is known. To be read from top to bottom.

Its inputs were checked and its call was planned (`invoke.py`). From then on:

1. the key: a new one is claimed; the run of one that was used before is waited for, replayed, looked up or taken over
2. the policy: it may refuse the write, or let it wait until another person has approved it
3. the look-up: does the service show the key already? This database may be new, restored or not the only one
4. the permit of the rate window
5. `claimed → sending`, one compare-and-set together with the last checks, committed before the first byte
6. one request
7. the record of what is known, and what the caller is told

Once a write may have left, its caller hears the result, the service's own refusal, or that the outcome is unknown,
whatever fails afterwards. What certainly never left is told as not sent. `docs/architecture.md` says what a crash after
each of these steps leads to.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from connector.client import Call, Reply
from connector.client.exchange import MAX_ATTEMPTS, Sending, retry_pause
from connector.client.steps import GIVEN_UP, Commit, Pause, Query, Steps
from connector.core.callers import Intent
from connector.core.data.answers import objects_in
from connector.core.errors import KontorError, LikelyRepeat, OutcomeUnknown, RateLimited, StoreDown
from connector.core.messages import joined, say
from connector.core.service_facts import RESERVED, credits_state
from connector.core.timing import DEAD_AFTER_SECONDS, BeatObserver
from connector.runtime.context import ActionContext, before_sending, try_commit
from connector.runtime.result import WAITS, Credits, Result
from connector.runtime.writes import run_audit
from connector.runtime.writes.approval import ask, refused_earlier
from connector.runtime.writes.attempt import (
    Attempt,
    abandoned,
    cancelled,
    equals_unknown,
    error_as_dict,
    key_conflict,
    likely_repeat,
    limited_too_often,
    look_failed,
    new_run,
    outcome_of,
    outcome_unknown,
    proof_in,
    refused_before,
    settled_meanwhile,
    stored_warnings,
)
from connector.runtime.writes.find_payment import Found, contradicts, finder_for, is_same_request, mark_of, same_write
from connector.runtime.writes.held_back import hold_back
from connector.runtime.writes.policy_check import ApprovalNeeded, Verdict, check_policy, paid, reserve
from connector.store.database.errors import DATABASE_ERRORS, store_down
from connector.store.rates import usage
from connector.store.runs import approvals, repeats, runs
from connector.store.runs.runs import ClaimLost, EqualInFlight, Run, was_cancelled

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.client import Sender
    from connector.core.manifest.model import Action
    from connector.core.timing import Clock

MAX_CLAIMS = 5
MAX_LIMITS = 1
"""How often one call is sent again after the rate limiter has turned it away."""
OBSERVE_SECONDS = 0.1
MAX_WAIT_FOR_OTHERS = 180.0
FIND_DELAYS = (0.3, 1.0, 2.0)
"""Seconds before each search for a write whose answer was lost."""
FIND_DELAYS_AFTER_TIMEOUT = (1.0, 3.0, 6.0)
"""The same after a timeout: the service may still be processing it."""
RUN_NOTE = "run "
"""Begins the note on the error of a caller who gave up."""
LOOKED_FOR_AFTER_REFUSAL = timedelta(minutes=15)
"""For how long a payment is looked for that was refused without proof."""


def write(
    context: ActionContext,
    inputs: dict[str, Any],
    planned: Call,
    intent: Intent,
    result_of: Callable[[Call, Reply], Result],
) -> Steps[Result]:
    """Make a write, at most once per key."""
    workspace = yield from before_sending(context.workspace())
    run = new_run(context, workspace, inputs, intent.key)
    attempt = Attempt(context, run, inputs, intent, planned, result_of)
    return (yield from _with_heartbeat(attempt, _make(attempt) if intent.key is None else _make_under_key(attempt)))


def write_approved(
    context: ActionContext,
    found: Run,
    inputs: dict[str, Any],
    planned: Call,
    result_of: Callable[[Call, Reply], Result],
) -> Steps[Result]:
    """Make a write that another person has approved; raise `ClaimLost` when another host does."""
    run = replace(new_run(context, found.workspace, inputs, found.key), id=found.id)
    attempt = Attempt(context, run, inputs, Intent(found.key), planned, result_of, approved=True)
    return (yield from _with_heartbeat(attempt, _make_approved(attempt, found)))


def _with_heartbeat(attempt: Attempt, steps: Steps[Result]) -> Steps[Result]:
    """Let others see that somebody works on the run; record it if it must wait for an equal one."""
    attempt.context.heartbeat.begin(attempt.run.owner)
    try:
        return (yield from steps)
    except LikelyRepeat as error:
        yield from hold_back(attempt, error)
        raise
    except GIVEN_UP as error:
        yield from try_commit(partial(_abandon, attempt=attempt, now=attempt.context.clock.utcnow()))
        error.add_note(f"{RUN_NOTE}{attempt.run.id}")  # whoever catches it can ask what became of the run
        raise
    finally:
        attempt.context.heartbeat.end(attempt.run.owner)


def _abandon(connection: Connection, attempt: Attempt, now: datetime) -> None:
    """Give the claim back of a write whose caller gave up before it was sent, so that its key is free at once."""
    outcome = error_as_dict(abandoned())
    run_id = runs.abandon(connection, attempt.run.owner, outcome, now)
    if run_id is not None:
        run = replace(attempt.run, id=run_id)
        run_audit.ended(connection, replace(attempt, run=run), "refused", outcome, now)


# 1. The key


def _make_under_key(attempt: Attempt) -> Steps[Result]:
    lost = False
    for _ in range(MAX_CLAIMS):
        claim = partial(runs.claim, run=attempt.run, now=attempt.context.clock.utcnow())
        # Not durable: if a power failure loses the claim, nothing has been sent.
        earlier: Run | None = yield from before_sending(Commit(claim, durable=False))
        if earlier is not None:
            if lost and was_cancelled(earlier):  # while it waited here; a later press may send it after all
                raise cancelled()
            resumed = yield from _resume(attempt, earlier)
            if isinstance(resumed, Result):
                return resumed
            if not resumed:
                continue
            attempt = replace(attempt, run=replace(attempt.run, id=earlier.id))
        try:
            return (yield from _make(attempt))
        except ClaimLost:
            lost = True  # another caller has taken it over, or a person cancelled it: see what it does
    raise StoreDown(say("claim_lost"))


def _make_approved(attempt: Attempt, found: Run) -> Steps[Result]:
    now = attempt.context.clock.utcnow()
    if not (yield Commit(partial(runs.take_over, found=found, run=attempt.run, now=now))):
        raise ClaimLost
    return (yield from _make(attempt))


def _resume(attempt: Attempt, found: Run) -> Steps[Result | bool]:
    """Go on with a key that was used before: return its result, True if it is ours to send, False to try again."""
    run, context = attempt.run, attempt.context
    same = is_same_request(context.action, attempt.inputs, attempt.mark, run.digest, found.digest)
    if found.action != run.action or not same:
        raise key_conflict(attempt)
    if found.state == WAITS:
        waiting = yield Query(partial(approvals.find, run=found.id))
        if waiting is None or waiting.state == "expired":  # somebody has changed it in the database
            raise (yield Query(partial(refused_earlier, run=found)))
        return Result.waiting(run.action, found.id, waiting.expires_at)
    if found.state in {"rejected", "expired"}:
        raise (yield Query(partial(refused_earlier, run=found)))
    found = yield from observe(run.workspace, found)
    now = context.clock.utcnow()
    outcome = found.outcome or {}
    if found.state == "done" or (found.state == "settled" and outcome.get("happened", True)):
        return Result(
            run.action,
            outcome.get("output"),
            Credits(Decimal(0), None),
            replayed=True,
            run=found.id,
            warnings=stored_warnings(outcome),
        )
    if found.state == "refused" and proof_in(outcome) == "assumed" and not attempt.again and not attempt.repeatable:
        payment = yield from _find_again(attempt, (0.0,))
        if payment is None:
            raise refused_before(found.id, outcome)
        return (yield from _correct(attempt, found, payment))
    if found.state in {"claimed", "refused", "settled"} or attempt.repeatable:
        taken: bool = yield from before_sending(Commit(partial(runs.take_over, found=found, run=run, now=now)))
        return taken
    if found.state == "sending":  # its owner is dead
        outcome = yield from _park(found, now)
    payment = yield from _find_again(attempt, (0.0,))
    if payment is None:
        raise outcome_unknown(replace(attempt, run=replace(run, id=found.id)), outcome)
    return (yield from _correct(attempt, found, payment))


def observe(workspace: str, found: Run) -> Steps[Run]:
    """Wait until a run in progress has ended or its owner is dead; return its newest state."""
    started, observer = time.monotonic(), BeatObserver(DEAD_AFTER_SECONDS)
    while found.state in runs.IN_PROGRESS and not observer.is_dead(found.id, found.pulse, time.monotonic()):
        if time.monotonic() - started > MAX_WAIT_FOR_OTHERS:
            raise OutcomeUnknown(
                say("still_running"), remedy=say("still_running_remedy", key=found.key), retryable=True
            )
        yield Pause(OBSERVE_SECONDS)
        newest = yield Query(partial(runs.find, workspace=workspace, run_id=found.id))
        if newest is None:
            break
        found = newest
    return found


# 2. Policy and approval, 3. look-up


def _make(attempt: Attempt) -> Steps[Result]:
    """Make a write whose key, if it has one, is claimed."""
    try:
        verdict = yield from check_policy(attempt)
        attempt = replace(attempt, repeat_minutes=verdict.policy.repeat_minutes, warnings=verdict.warnings)
        if verdict.reasons:
            return _with_warnings(verdict, (yield from ask(attempt, verdict.reasons)))
        # Without a key nothing can be there yet.
        shown = (yield from _find_before_sending(attempt)) if attempt.is_recorded else None
    except Exception as error:
        yield from _release(attempt, error)
        raise
    if shown is not None:
        return (yield from _finish_found(attempt, shown, Decimal(0)))
    try:
        return _with_warnings(verdict, (yield from _send_when_alone(attempt)))
    except ApprovalNeeded as needed:
        try:
            return _with_warnings(verdict, (yield from ask(attempt, needed.reasons)))
        except Exception as error:
            yield from _release(attempt, error)
            raise


def _with_warnings(verdict: Verdict, result: Result) -> Result:
    return replace(result, warnings=(*verdict.warnings, *result.warnings))


def _find_before_sending(attempt: Attempt) -> Steps[Found | None]:
    """Return what the service shows of the write."""
    finder = attempt.finder
    if finder is None:
        return None
    try:
        shown: Found | None = yield from before_sending(finder.find(attempt.mark))
    except KontorError as error:
        raise look_failed(error) from error
    if shown is not None and not _is_own(attempt, shown):
        raise key_conflict(attempt)
    return shown


def _is_own(attempt: Attempt, shown: Found) -> bool:
    """Whether what the service shows under the key is this very write."""
    how = attempt.context.action.read_back
    if how is None:
        return True
    return same_write(how, shown, attempt.run.digest) and not contradicts(how.shows, shown, attempt.inputs)


def _send_when_alone(attempt: Attempt) -> Steps[Result]:
    """Send the write, once no other process sends an equal one that may turn out to be unknown."""
    deadline = time.monotonic() + MAX_WAIT_FOR_OTHERS
    while True:
        try:
            return (yield from _send(attempt))
        except EqualInFlight as equal:
            try:
                yield from _wait_for_equal(attempt, equal.run_id, deadline)
            except LikelyRepeat as error:
                yield from _release(attempt, error)
                raise


def _wait_for_equal(attempt: Attempt, run_id: str, deadline: float) -> Steps[None]:
    """Wait until an equal run has ended; raise `LikelyRepeat` when its owner is dead, or when that takes too long."""
    workspace = attempt.run.workspace
    found = yield from before_sending(Query(partial(runs.find, workspace=workspace, run_id=run_id)))
    if found is None:
        return
    try:
        found = yield from observe(workspace, found)
    except OutcomeUnknown:
        raise likely_repeat(attempt, run_id, found) from None
    if found.state == "sending":  # its owner is dead
        yield from _park(found, attempt.context.clock.utcnow())
        raise equals_unknown(run_id)
    if time.monotonic() > deadline:
        raise likely_repeat(attempt, run_id, found)


# 4. The permit, 5. `claimed → sending`, 6. the request


def _send(attempt: Attempt) -> Steps[Result]:
    """Send the write as one request, and once more only when nothing left or the service's rate limiter turned it away.

    Raise `EqualInFlight` or `ClaimLost` when it must not be sent now; nothing was recorded of it then.
    """
    clock, call = attempt.context.clock, attempt.call
    limits = failures = 0
    with Sending(call, attempt.context.sender) as sending:
        while True:
            try:
                yield from sending.wait_for_permit()
            except Exception as error:
                yield from _release(attempt, error, is_recorded=bool(limits or failures))
                raise
            now = clock.utcnow()
            start = partial(_start_again if limits or failures else _start, attempt=attempt, now=now)
            try:
                yield Commit(start, durable=attempt.is_recorded)
            except GIVEN_UP:
                sending.return_permit()
                yield from _back_to_claimed(attempt, counted=False)
                raise
            except Exception as error:
                sending.return_permit()
                raise (yield from _not_started(attempt, error, is_recorded=bool(limits or failures))) from error
            try:
                reply = yield from sending.request()
                _check_own(attempt, reply)
                break
            except Exception as error:
                if not isinstance(error, KontorError) or error.outcome != "not_sent":
                    return (yield from _settle_failure(attempt, error))
                limited = isinstance(error, RateLimited)
                limits, failures = limits + limited, failures + (not limited)
                retryable = yield from _take_back(attempt, error, limited)
                if limited and not retryable:
                    return (yield from _settle_failure(attempt, limited_too_often()))
                pause = 0.0 if limited else retry_pause(failures)  # the permit waits until the limiter allows it
                gives_up = limits > MAX_LIMITS or failures >= MAX_ATTEMPTS or not error.retryable or not retryable
                if gives_up or clock.monotonic() + pause >= sending.deadline:
                    return (yield from _give_up(attempt, error, limited))
            try:
                yield Pause(clock.real(pause))
                shown = (yield from _find_before_sending(attempt)) if limited else None
            except Exception as error:
                yield from _release(attempt, error, is_recorded=True)
                raise
            if shown is not None:
                return (yield from _finish_found(attempt, shown, Decimal(0)))
    result = replace(attempt.result_of(call, reply), run=attempt.run.id)
    kept = result.output if attempt.keeps_output else None
    outcome = outcome_of(kept, result.credits.cost, (*attempt.warnings, *result.warnings))
    # Not durable: if a power failure loses it, the run is unknown and looked up or settled as usual.
    yield from _record(attempt, "done", outcome, durable=False)
    return result


def _start(connection: Connection, attempt: Attempt, now: datetime) -> None:
    """Check once more what others may have changed, and record that the write is being sent."""
    run = attempt.run
    checked = reserve(connection, attempt)
    if not attempt.repeatable:
        equal = runs.unresolved_equal_to(connection, run)
        if equal is not None and equal[0] == "unknown":
            raise equals_unknown(equal[1])
        if not attempt.yields_to_equal:
            repeats.record_write(connection, run, now)
        elif equal is None and (earlier := repeats.admit(connection, run, now, attempt.repeat_window)) is not None:
            raise likely_repeat(attempt, earlier, runs.find(connection, run.workspace, earlier))
        if equal is not None:  # it is waited for: whoever sends it may be dead, and then nobody knows
            raise EqualInFlight(equal[1])
    if attempt.is_recorded:
        runs.start_sending(connection, run.id, run.owner, now)
    else:
        runs.insert(connection, run, "sending", now)
    run_audit.sent(connection, attempt, checked, now)


def _start_again(connection: Connection, attempt: Attempt, now: datetime) -> None:
    """Record that the write is sent once more; what it was checked against has not changed within the call."""
    runs.start_sending(connection, attempt.run.id, attempt.run.owner, now)


def _check_own(attempt: Attempt, reply: Reply) -> None:
    """Raise when the answer is about another write: it proves nothing of this one."""
    action = attempt.context.action
    how = action.read_back
    shows = (*action.answer_shows, *(how.shows if how else ()))
    answered = objects_in(reply.value, action.answer_in)
    others = [
        each
        for each in answered
        if contradicts(shows, each, attempt.inputs) or (how and mark_of(how, each) not in (None, attempt.mark))
    ]
    if answered and len(others) == len(answered):
        raise OutcomeUnknown(say("reply_of_another"), details={"status": reply.status}, reason="reply_of_another")


def _not_started(attempt: Attempt, error: Exception, *, is_recorded: bool) -> Steps[Exception]:
    """Return what is told of a write that could not be recorded as being sent, and so was not."""
    if isinstance(error, EqualInFlight | ApprovalNeeded):
        return error
    if isinstance(error, ClaimLost):
        return error if attempt.is_recorded else settled_meanwhile(attempt.run.id)
    is_down = isinstance(error, DATABASE_ERRORS)
    # If the answer of the database was lost, the run says `sending` though nothing was sent: put that right.
    yield from _release(attempt, error, is_recorded=is_recorded or is_down)
    return store_down(error) if is_down else error


def _take_back(attempt: Attempt, error: KontorError, limited: bool) -> Steps[bool]:
    """Return a run that the service did not accept to its claim; False when it must not be sent again."""
    change = partial(runs.take_back, run=attempt.run, counted=limited, now=attempt.context.clock.utcnow())
    try:
        return bool((yield Commit(change, durable=False)))
    except GIVEN_UP:
        yield from _back_to_claimed(attempt, counted=limited)
        raise
    except DATABASE_ERRORS:
        yield from _release(attempt, error, is_recorded=True)
        raise error from None


def _back_to_claimed(attempt: Attempt, *, counted: bool) -> Steps[None]:
    """Return a run to its claim whose caller gave up while the database worked at it, if it says `sending` now."""
    now = attempt.context.clock.utcnow()
    yield from try_commit(partial(runs.take_back, run=attempt.run, counted=counted, now=now))


def _give_up(attempt: Attempt, error: KontorError, limited: bool) -> Steps[Result]:
    """Give up a write that was not accepted; one that was turned away is looked for before that is told."""
    shown = (yield from _find_again(attempt, (0.0,))) if limited else None
    if shown is not None:
        return (yield from _finish_found(attempt, shown, Decimal(attempt.context.action.cost.credits)))
    yield from _release(attempt, error, is_recorded=True)
    raise error


# 7. The record, and what is told


def _settle_failure(attempt: Attempt, error: Exception) -> Steps[Result]:
    """Record that a write which left was refused, or that nobody knows; a payment is looked up before that is told."""
    cost = Decimal(attempt.context.action.cost.credits)
    if not isinstance(error, KontorError) or error.outcome == "unknown":
        yield from _record(attempt, "unknown", error_as_dict(error))
        details = getattr(error, "details", None)
        slow = isinstance(details, dict) and details.get("timed_out")
        shown = yield from _find_again(attempt, FIND_DELAYS_AFTER_TIMEOUT if slow else FIND_DELAYS)
        if shown is None:
            raise outcome_unknown(attempt, error_as_dict(error), error) from error
        return (yield from _finish_found(attempt, shown, cost))
    shown = yield from _find_again(attempt, (0.0,))
    if shown is not None:
        result = yield from _finish_found(attempt, shown, cost)
        return replace(result, warnings=(say("found_after_refusal", said=error.message),))
    yield from _record(attempt, "refused", error_as_dict(error))
    if error.proof == "assumed" and attempt.run.key is not None and not attempt.repeatable:
        error.remedy = joined(error.remedy, say("refused_before_remedy"))
    raise error


def _find_again(attempt: Attempt, delays: tuple[float, ...]) -> Steps[Found | None]:
    """Search the service for a write after each delay, the last time thoroughly; what fails proves nothing."""
    finder = attempt.finder
    if finder is None:
        return None
    for index, delay in enumerate(delays):
        yield Pause(delay)
        thorough = index == len(delays) - 1
        try:
            shown = yield from (finder.find(attempt.mark) if thorough else finder.find_among_newest(attempt.mark))
        except Exception:  # noqa: S112 - whatever fails now, the write may have been made
            continue
        if shown is not None:
            return shown if _is_own(attempt, shown) else None
    return None


def _finish_found(attempt: Attempt, shown: Found, cost: Decimal) -> Steps[Result]:
    """Record that the service shows the write, and return that as its result."""
    yield from _record(attempt, "done", outcome_of(shown, cost, attempt.warnings))
    return Result(attempt.run.action, shown, Credits(cost, None), replayed=True, run=attempt.run.id)


def _release(attempt: Attempt, error: Exception, *, is_recorded: bool = False) -> Steps[None]:
    """Give up a claim: nothing was sent, so the key may be used again.

    Raise `ClaimLost` when another has taken the run over meanwhile, while this process was frozen: it may have made it,
    and that must not be told as not sent.
    """
    if not attempt.is_recorded and not is_recorded:
        return
    released = yield from _record(attempt, "refused", error_as_dict(error))
    if released is False and attempt.is_recorded:
        raise ClaimLost


def _record(attempt: Attempt, state: runs.State, outcome: Any, *, durable: bool = True) -> Steps[bool | None]:
    """Record what is known of the outcome, if the database can: what the caller is told does not depend on that.

    Return whether the run was still ours; None where the database does not say.
    """
    now = attempt.context.clock.utcnow()
    change = partial(_end, attempt=attempt, state=state, outcome=outcome, now=now)
    ours: bool | None = yield from try_commit(change, durable=durable)
    return ours


def _end(connection: Connection, attempt: Attempt, state: runs.State, outcome: Any, now: datetime) -> bool:
    """Record the outcome; what went wrong is in the audit log as well."""
    run = attempt.run
    recorded = runs.finish(connection, run, state, outcome, now)
    # Without a key the run was not written durably, and a crash of the database may have lost it.
    if not recorded and state == "unknown" and runs.find(connection, run.workspace, run.id) is None:
        runs.insert(connection, run, "sending", now)
        run_audit.sent(connection, attempt, None, now)  # it was lost as well
        recorded = runs.finish(connection, run, state, outcome, now)
    if recorded and state == "done":
        paid(connection, attempt)
    if recorded and state != "done":
        run_audit.ended(connection, attempt, state, outcome, now)
    if recorded and state == "refused" and proof_in(outcome) == "assumed" and attempt.finder is not None:
        runs.look_for(connection, run.id, now + LOOKED_FOR_AFTER_REFUSAL)
    return recorded


# Of runs that others have left


def _park(found: Run, now: datetime) -> Steps[dict[str, Any]]:
    """Record as unknown a run whose owner died while sending it; return its outcome."""
    outcome = error_as_dict(OutcomeUnknown(say("parked")))
    yield from try_commit(partial(run_audit.resolve, found=found, state="unknown", outcome=outcome, now=now))
    return outcome


def _correct(attempt: Attempt, found: Run, payment: Found) -> Steps[Result]:
    """Record that the service shows a run that was unknown, or refused without proof."""
    yield from try_commit(_resolution(attempt.context.action, found, payment, attempt.context.clock))
    return Result(attempt.run.action, payment, Credits(Decimal(0), None), replayed=True, run=found.id)


def look_again(
    workspace: str, observer: BeatObserver, find_action: Callable[[str], Action], sender: Sender
) -> Steps[int]:
    """Search the list once for all runs that are unknown or were refused without proof; return how many were found.

    Those whose owner died while sending become unknown first.
    """
    clock = sender.clock
    listed: Callable[..., Any] = partial(runs.listed, workspace=workspace, now=clock.utcnow())
    now = time.monotonic()
    for run in (yield Query(partial(listed, state="sending"))):
        if observer.is_dead(run.id, run.pulse, now):
            observer.forget(run.id)
            outcome = error_as_dict(OutcomeUnknown(say("parked")))
            yield Commit(partial(run_audit.resolve, found=run, state="unknown", outcome=outcome, now=clock.utcnow()))
    unknown = yield Query(partial(listed, state="unknown"))
    refused = yield Query(partial(runs.looked_for, workspace=workspace, now=clock.utcnow()))
    wanted = [run for run in (*unknown, *refused) if run.credential == sender.credential.fingerprint]
    count = 0
    for action_id in {run.action for run in wanted}:
        action = find_action(action_id)
        finder = finder_for(action, find_action, sender, workspace)
        if finder is None:
            continue
        by_mark = {run.key or run.id: run for run in wanted if run.action == action_id}
        for mark, payment in (yield from finder.find_all(by_mark)).items():
            count += yield Commit(_resolution(action, by_mark[mark], payment, clock))
    return count


def _resolution(action: Action, found: Run, payment: Found, clock: Clock) -> Callable[[Connection], bool]:
    """Return the change that records that the service shows a run, and reserves its credits."""
    outcome, now, day = (
        {"output": payment, "cost": action.cost.credits},
        clock.utcnow(),
        clock.berlin_today().isoformat(),
    )

    def resolve(connection: Connection) -> bool:
        if not run_audit.resolve(connection, found=found, state="done", outcome=outcome, now=now):
            return False
        id, credits = str(payment.get("id")), Decimal(action.cost.credits)
        if action.cost.settles_later:
            usage.add(connection, found.credential, day, "", action.id, Decimal(0))
            usage.reserve(connection, found.credential, id, day, "", action.id, credits)
            state = credits_state(str(payment.get("status")))
            usage.settle(connection, found.credential, {} if state == RESERVED else {id: state})
        return True

    return resolve
