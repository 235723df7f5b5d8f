"""Runs an action: validation, the request, and for writes the journal that prevents sending twice."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from connector.core.answers import items_in, shaped
from connector.core.client import Call, Reply, prepare
from connector.core.clock import Clock
from connector.core.credential import Credential
from connector.core.errors import BadReply, InputError, KontorError, OutcomeUnknown
from connector.core.manifest.model import Action, ReadBack
from connector.core.messages import Text, say
from connector.core.values import json
from connector.core.values.ids import GENERATED_KEY_PREFIX
from connector.runtime import checks
from connector.runtime.code import handler_function
from connector.runtime.request import build_call
from connector.runtime.result import Credits, Result
from connector.runtime.steps import BackgroundWrite, ReadStep, SendStep, SleepStep, Steps, WriteStep

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.core.manifest.inputs import Inputs
    from connector.store.journal import Entry, Intent

MAX_KEY_CHARACTERS = 200
READ_BACK_DELAYS = (0.3, 1.0, 2.0)
"""Seconds before each read-back of a payment whose answer was lost."""
ABSENCE_ASSUMED_AFTER = 20.0
"""Seconds after a lost answer from which a payment missing from the list is taken as not made, and may be sent again:
the service may still have been processing it, and its list may lag."""
LATER_READ_BACK_DELAY = 4.0
READ_BACK_DELAYS_AFTER_TIMEOUT = (2.0, 10.0, 30.0)
"""The same after a timeout: the service may still be processing it."""
POLL_SECONDS = 0.1

_PROCESS, _ATTEMPTS = uuid4().hex, count(1)
"""Together they identify an attempt across all processes."""


@dataclass(frozen=True, slots=True)
class ActionContext:
    """What running an action needs."""

    action: Action
    inputs: Inputs
    credential: Credential
    clock: Clock
    find_action: Callable[[str], Action]
    """Returns an action by id, for the read-back."""
    check_budget: Callable[[Call], Steps[None]]
    """Raises when the budget does not allow the call."""


def plan(
    context: ActionContext, raw: Mapping[str, Any], key: str | None
) -> tuple[dict[str, Any], Call, tuple[Text, ...]]:
    """Validate the inputs and build the call without sending it; return inputs, call and warnings."""
    inputs = context.inputs.clean(raw)
    warnings = checks.check(context.action, inputs)
    if key is not None:
        inputs = _with_key(context.action, inputs, _validated_key(key))
    return inputs, build_call(context.action, inputs, context.credential.wire), warnings


def invoke(context: ActionContext, raw: Mapping[str, Any], key: str | None, dry_run: bool) -> Steps[Result]:
    """Run the action, at most once per key."""
    inputs, call, warnings = plan(context, raw, key)
    if dry_run:
        cost = Credits(Decimal(call.cost), None)
        shown = prepare(call, context.credential).as_dict()
        return Result(context.action.id, shown, cost, dry_run=True, warnings=warnings)
    yield from context.check_budget(call)
    if not call.writes:
        reply = yield SendStep(call)
        return replace(_result(context.action, call, reply), warnings=warnings)
    return replace((yield from _write(context, inputs, call, key)), warnings=warnings)


def _write(context: ActionContext, inputs: dict[str, Any], call: Call, key: str | None) -> Steps[Result]:
    from connector.store import journal

    intent = _intent(context, inputs, key)
    # With a key, a repeat must find the entry even after a power failure. Without one, no repeat can be recognised
    # anyway: the entry only serves the person who settles an unknown outcome, and survives a crash of this process.
    begin = partial(journal.begin, intent=intent, now=context.clock.utcnow())
    found: Entry | None = yield WriteStep(begin, durable=key is not None)
    if found is not None:
        earlier = yield from _resume(context, intent, call, found)
        if earlier is not None:
            return earlier
    return (yield from _send(context, intent, call))


def _send(context: ActionContext, intent: Intent, call: Call) -> Steps[Result]:
    """Send a write that is in the journal, and record its outcome."""
    try:
        reply: Reply = yield SendStep(call)
    except KontorError as error:
        if error.outcome != "unknown":
            yield WriteStep(_finish_change(context, intent, "refused", error.as_dict()))
            raise
        yield WriteStep(_finish_change(context, intent, "doubtful", error.as_dict()))
        return (yield from _resolve_unknown(context, intent, call, error))
    result = _result(context.action, call, reply)
    # Written in the background: if a power failure loses it, the entry is doubtful and read back or settled as usual.
    if intent.key.startswith(GENERATED_KEY_PREFIX):  # nobody can repeat it, so the output is not needed
        yield BackgroundWrite(_finish_change(context, intent, "done", {"cost": result.credits.cost}), deferred=True)
    else:
        yield BackgroundWrite(
            _finish_change(context, intent, "done", {"output": result.output, "cost": result.credits.cost})
        )
    return result


def _resume(context: ActionContext, intent: Intent, call: Call, found: Entry) -> Steps[Result | None]:
    """Handle a key that was used before: return its first result, or None when the write may be sent again."""
    from connector.store import journal

    if (found.action, found.digest) != (intent.action, intent.digest):
        raise InputError(say("key_conflict", key=intent.key), remedy=say("key_conflict_remedy"), field="key")
    dead = timedelta(seconds=call.deadline + call.timeout + 30)
    while found.state == "begun" and context.clock.utcnow() - found.changed_at < dead:
        yield SleepStep(POLL_SECONDS)  # another caller is sending it
        found = yield ReadStep(lambda connection: journal.find(connection, intent.credential, intent.key))
    if found.state in {"done", "settled"}:
        output = (found.outcome or {}).get("output")
        return Result(context.action.id, output, Credits(Decimal(0), None), replayed=True)
    certain = found.state == "refused" or context.action.repeat == "same_result"
    if not certain and not _can_read_back(context, intent):
        raise _parked(context, intent, found.outcome)
    payment = None
    if not certain:
        age = (context.clock.utcnow() - found.changed_at).total_seconds()
        payment = yield from _read_back(
            context, context.action.read_back, intent, call, _read_back_delays(age), found.begun_at
        )
    taken = yield WriteStep(lambda connection: journal.take_over(connection, found, intent, context.clock.utcnow()))
    if not taken:  # another caller claimed it first: wait for its outcome
        newest = yield ReadStep(lambda connection: journal.find(connection, intent.credential, intent.key))
        return (yield from _resume(context, intent, call, newest))
    if payment is None:
        return None
    return (yield from _finish_found(context, intent, payment))


def _read_back_delays(age: float) -> tuple[float, ...]:
    """Return the delays between read-backs of a payment whose answer was lost `age` seconds ago."""
    delays = list(READ_BACK_DELAYS)
    while (rest := ABSENCE_ASSUMED_AFTER - age - sum(delays)) > 0:
        delays.append(min(rest, LATER_READ_BACK_DELAY))
    return tuple(delays)


def _resolve_unknown(context: ActionContext, intent: Intent, call: Call, error: KontorError) -> Steps[Result]:
    """Resolve an unknown outcome by reading the write back; raise when that is impossible or finds nothing."""
    if _can_read_back(context, intent):
        slow = isinstance(error.details, Mapping) and error.details.get("timed_out")
        delays = READ_BACK_DELAYS_AFTER_TIMEOUT if slow else READ_BACK_DELAYS
        found = yield from _read_back(context, context.action.read_back, intent, call, delays, context.clock.utcnow())
        if found is not None:
            return (yield from _finish_found(context, intent, found))
    raise _parked(context, intent, error.as_dict()) from error


def _read_back(
    context: ActionContext, how: ReadBack | None, intent: Intent, call: Call, delays: tuple[float, ...], since: datetime
) -> Steps[dict[str, Any] | None]:
    """Search the service's list for the write, once after each delay; None when it was never found."""
    assert how is not None
    action = context.find_action(how.action)
    day = (since - timedelta(days=1)).date()
    inputs = {"sort": "id", "created_from": day}
    names = {field.name for field in action.inputs if not field.wire or context.credential.wire[field.wire] is not None}
    list_call = build_call(
        action, {name: value for name, value in inputs.items() if name in names}, context.credential.wire
    )
    list_call = replace(list_call, deadline=call.deadline)
    for delay in delays:
        yield SleepStep(delay)
        reply: Reply = yield SendStep(list_call)
        for item in items_in(reply.value):
            marks = item.get(how.key_field)
            if isinstance(marks, Mapping) and marks.get(how.key_name) == intent.key:
                return dict(item)
    return None


def _finish_found(context: ActionContext, intent: Intent, payment: dict[str, Any]) -> Steps[Result]:
    yield WriteStep(_finish_change(context, intent, "done", {"output": payment, "cost": context.action.cost.credits}))
    return Result(context.action.id, payment, Credits(Decimal(context.action.cost.credits), None), replayed=True)


def _finish_change(context: ActionContext, intent: Intent, state: Any, outcome: Any) -> Callable[[Connection], None]:
    from connector.store import journal

    now = context.clock.utcnow()
    return lambda connection: journal.finish(connection, intent, state, outcome, now)


def _parked(context: ActionContext, intent: Intent, outcome: Any) -> OutcomeUnknown:
    details = {"key": intent.key, "first": outcome}
    if context.action.repeat == "same_result":
        return OutcomeUnknown(say("parked"), remedy=say("repeat_is_harmless"), details=details, retryable=True)
    if not _can_read_back(context, intent):
        return OutcomeUnknown(say("parked"), remedy=say("parked_remedy", key=intent.key), details=details)
    remedy = say("parked_look_again", key=intent.key)
    return OutcomeUnknown(say("parked"), remedy=remedy, details=details, retryable=True)


def _can_read_back(context: ActionContext, intent: Intent) -> bool:
    """Whether the write can be searched at the service: only if it was sent with the caller's key."""
    return context.action.read_back is not None and not intent.key.startswith(GENERATED_KEY_PREFIX)


def _result(action: Action, call: Call, reply: Reply) -> Result:
    return Result(action.id, output_of(action, call, reply), Credits(reply.charge.cost, reply.charge.balance))


def output_of(action: Action, call: Call, reply: Reply) -> Any:
    """Return the answer in the shape that the manifest declares."""
    own = handler_function(action, "shape")
    try:
        return own(reply.value) if own else shaped(reply.value, action.is_list, action.shape, action.answer_in)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if call.writes:
            return {"answer": reply.value}  # the write succeeded, so an unexpected shape is not an error
        details = {"status": reply.status}
        raise BadReply(say("reply_unexpected", why=error), details=details, reason="reply_unexpected") from None


def _with_key(action: Action, inputs: dict[str, Any], key: str) -> dict[str, Any]:
    """Add the key to the field by which the write can be found at the service later."""
    how = action.read_back
    return {**inputs, how.key_field: {**inputs.get(how.key_field, {}), how.key_name: key}} if how else inputs


def _intent(context: ActionContext, inputs: dict[str, Any], key: str | None) -> Intent:
    from connector.store.journal import Intent

    attempt = f"{_PROCESS}-{next(_ATTEMPTS)}"
    kept = dict(sorted(inputs.items()))
    plain = json.encode_clean(kept if context.inputs.file_fields.isdisjoint(kept) else _without_files(kept))
    return Intent(
        credential=context.credential.fingerprint,
        key=key if key is not None else f"{GENERATED_KEY_PREFIX}{attempt}",
        action=context.action.id,
        digest=hashlib.sha256(plain).hexdigest(),
        inputs=plain,
        owner=attempt,
    )


def _without_files(value: Any) -> Any:
    """Return the inputs for the journal, with files replaced by their size and digest."""
    kind = type(value)
    if kind is bytes:
        return {"bytes": len(value), "sha256": hashlib.sha256(value).hexdigest()}
    if kind is dict:
        return {name: _without_files(item) for name, item in value.items()}
    return [_without_files(item) for item in value] if kind is list else value


def _validated_key(key: str) -> str:
    fits = isinstance(key, str) and 0 < len(key.strip()) <= len(key) <= MAX_KEY_CHARACTERS and key.isprintable()
    if not fits or key.startswith(GENERATED_KEY_PREFIX):
        raise InputError(say("key_invalid", most=MAX_KEY_CHARACTERS), field="key")
    return key
