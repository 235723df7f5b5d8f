"""Runs an action: checks, the request, and for writes the journal that keeps them from happening twice."""

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
from connector.runtime.code import offered
from connector.runtime.request import build_call
from connector.runtime.result import Credits, Result
from connector.runtime.steps import Ask, Keep, Look, Note, Pause, Steps

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.core.manifest.inputs import Inputs
    from connector.store.journal import Entry, Intent

MOST_KEY_CHARACTERS = 200
LOOKS = (0.3, 1.0, 2.0)
"""Seconds before each look for a payment whose answer was lost."""
BELIEVED_AFTER = 20.0
"""So many seconds after the answer was lost it is believed that a payment does not exist, and it may be sent again: the
service may have been at work when the line broke, and its list may lag behind."""
LATER_LOOKS = 4.0
LOOKS_AFTER_TIMEOUT = (2.0, 10.0, 30.0)
"""The same when the service took too long: it may still be working on it."""
POLL_SECONDS = 0.1

_PROCESS, _ATTEMPTS = uuid4().hex, count(1)
"""Together they name an attempt, among all attempts of all processes."""


@dataclass(frozen=True, slots=True)
class Work:
    """All that running an action needs."""

    action: Action
    inputs: Inputs
    credential: Credential
    clock: Clock
    find: Callable[[str], Action]
    """Another action by id, for the read-back."""
    allow: Callable[[Call], Steps[None]]
    """Raises when the budget does not allow the call."""


def plan(work: Work, raw: Mapping[str, Any], key: str | None) -> tuple[dict[str, Any], Call, tuple[Text, ...]]:
    """Everything up to the request: the inputs checked, the call built, the warnings. Sends nothing."""
    inputs = work.inputs.clean(raw)
    warnings = checks.check(work.action, inputs)
    if key is not None:
        inputs = _with_key(work.action, inputs, _checked_key(key))
    return inputs, build_call(work.action, inputs, work.credential.wire), warnings


def invoke(work: Work, raw: Mapping[str, Any], key: str | None, dry_run: bool) -> Steps[Result]:
    """Runs the action, at most once for each key."""
    inputs, call, warnings = plan(work, raw, key)
    if dry_run:
        cost = Credits(Decimal(call.cost), None)
        shown = prepare(call, work.credential).as_dict()
        return Result(work.action.id, shown, cost, dry_run=True, warnings=warnings)
    yield from work.allow(call)
    if not call.writes:
        reply = yield Ask(call)
        return replace(_result(work.action, call, reply), warnings=warnings)
    return replace((yield from _write(work, inputs, call, key)), warnings=warnings)


def _write(work: Work, inputs: dict[str, Any], call: Call, key: str | None) -> Steps[Result]:
    from connector.store import journal

    intent = _intent(work, inputs, key)
    # With a key, a repeat must find the entry even after a power failure. Without one no repeat can be recognised
    # anyway; the entry is there for the person who settles a doubt, and outlives a crash of this process.
    enter = partial(journal.begin, intent=intent, now=work.clock.utcnow())
    found: Entry | None = yield Keep(enter, durable=key is not None)
    if found is not None:
        earlier = yield from _resume(work, intent, call, found)
        if earlier is not None:
            return earlier
    return (yield from _send(work, intent, call))


def _send(work: Work, intent: Intent, call: Call) -> Steps[Result]:
    """Sends a write that stands in the journal, and enters what became of it."""
    try:
        reply: Reply = yield Ask(call)
    except KontorError as error:
        if error.outcome != "unknown":
            yield Keep(_finished(work, intent, "refused", error.as_dict()))
            raise
        yield Keep(_finished(work, intent, "doubtful", error.as_dict()))
        return (yield from _find_out(work, intent, call, error))
    result = _result(work.action, call, reply)
    # Not waited for: should it be lost with the power, the entry is doubtful, and looked up or settled like any other.
    if intent.key.startswith(GENERATED_KEY_PREFIX):  # nobody can repeat it and ask for the output
        yield Note(_finished(work, intent, "done", {"cost": result.credits.cost}), soon=True)
    else:
        yield Note(_finished(work, intent, "done", {"output": result.output, "cost": result.credits.cost}))
    return result


def _resume(work: Work, intent: Intent, call: Call, found: Entry) -> Steps[Result | None]:
    """The key was used before: its first result, or None once the write is ours to send again."""
    from connector.store import journal

    if (found.action, found.digest) != (intent.action, intent.digest):
        raise InputError(say("key_conflict", key=intent.key), remedy=say("key_conflict_remedy"), field="key")
    dead = timedelta(seconds=call.deadline + call.timeout + 30)
    while found.state == "begun" and work.clock.utcnow() - found.changed_at < dead:
        yield Pause(POLL_SECONDS)  # somebody is just sending it
        found = yield Look(lambda connection: journal.find(connection, intent.credential, intent.key))
    if found.state in {"done", "settled"}:
        output = (found.outcome or {}).get("output")
        return Result(work.action.id, output, Credits(Decimal(0), None), replayed=True)
    certain = found.state == "refused" or work.action.repeat == "same_result"
    if not certain and not _can_look(work, intent):
        raise _parked(work, intent, found.outcome)
    payment = None
    if not certain:
        age = (work.clock.utcnow() - found.changed_at).total_seconds()
        payment = yield from _look(work, work.action.read_back, intent, call, _until_believed(age), found.begun_at)
    taken = yield Keep(lambda connection: journal.take_over(connection, found, intent, work.clock.utcnow()))
    if not taken:  # somebody else took it up first: see what they make of it
        newest = yield Look(lambda connection: journal.find(connection, intent.credential, intent.key))
        return (yield from _resume(work, intent, call, newest))
    if payment is None:
        return None
    return (yield from _found(work, intent, payment))


def _until_believed(age: float) -> tuple[float, ...]:
    """The pauses before looks for a payment whose answer was lost so many seconds ago."""
    pauses = list(LOOKS)
    while (rest := BELIEVED_AFTER - age - sum(pauses)) > 0:
        pauses.append(min(rest, LATER_LOOKS))
    return tuple(pauses)


def _find_out(work: Work, intent: Intent, call: Call, error: KontorError) -> Steps[Result]:
    """After an unknown outcome: where the write can be looked up, it is; otherwise a person must."""
    if _can_look(work, intent):
        slow = isinstance(error.details, Mapping) and error.details.get("timed_out")
        looks = LOOKS_AFTER_TIMEOUT if slow else LOOKS
        found = yield from _look(work, work.action.read_back, intent, call, looks, work.clock.utcnow())
        if found is not None:
            return (yield from _found(work, intent, found))
    raise _parked(work, intent, error.as_dict()) from error


def _look(
    work: Work, how: ReadBack | None, intent: Intent, call: Call, pauses: tuple[float, ...], since: datetime
) -> Steps[dict[str, Any] | None]:
    """Looks for the write at the service, several times before its absence is believed."""
    assert how is not None
    action = work.find(how.action)
    day = (since - timedelta(days=1)).date()
    inputs = {"sort": "id", "created_from": day}
    names = {field.name for field in action.inputs if not field.wire or work.credential.wire[field.wire] is not None}
    look = build_call(action, {name: value for name, value in inputs.items() if name in names}, work.credential.wire)
    look = replace(look, deadline=call.deadline)
    for pause in pauses:
        yield Pause(pause)
        reply: Reply = yield Ask(look)
        for item in items_in(reply.value):
            marks = item.get(how.key_field)
            if isinstance(marks, Mapping) and marks.get(how.key_name) == intent.key:
                return dict(item)
    return None


def _found(work: Work, intent: Intent, payment: dict[str, Any]) -> Steps[Result]:
    yield Keep(_finished(work, intent, "done", {"output": payment, "cost": work.action.cost.credits}))
    return Result(work.action.id, payment, Credits(Decimal(work.action.cost.credits), None), replayed=True)


def _finished(work: Work, intent: Intent, state: Any, outcome: Any) -> Callable[[Connection], None]:
    from connector.store import journal

    now = work.clock.utcnow()
    return lambda connection: journal.finish(connection, intent, state, outcome, now)


def _parked(work: Work, intent: Intent, outcome: Any) -> OutcomeUnknown:
    details = {"key": intent.key, "first": outcome}
    if work.action.repeat == "same_result":
        return OutcomeUnknown(say("parked"), remedy=say("repeat_is_harmless"), details=details, retryable=True)
    if not _can_look(work, intent):
        return OutcomeUnknown(say("parked"), remedy=say("parked_remedy", key=intent.key), details=details)
    remedy = say("parked_look_again", key=intent.key)
    return OutcomeUnknown(say("parked"), remedy=remedy, details=details, retryable=True)


def _can_look(work: Work, intent: Intent) -> bool:
    """Whether the service can be asked if it happened: only for a write that carried its key along."""
    return work.action.read_back is not None and not intent.key.startswith(GENERATED_KEY_PREFIX)


def _result(action: Action, call: Call, reply: Reply) -> Result:
    return Result(action.id, output_of(action, call, reply), Credits(reply.charge.cost, reply.charge.balance))


def output_of(action: Action, call: Call, reply: Reply) -> Any:
    """The answer in the form that the manifest promises."""
    own = offered(action, "shape")
    try:
        return shaped(reply.value, action.is_list, action.shape) if own is None else own(reply.value)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        if call.writes:
            return {"answer": reply.value}  # it was done: an unexpected form must not make it look undone
        raise BadReply(say("reply_unexpected", why=error), details={"status": reply.status}) from None


def _with_key(action: Action, inputs: dict[str, Any], key: str) -> dict[str, Any]:
    """Writes the key into the field by which the service can be asked for it later."""
    how = action.read_back
    return {**inputs, how.key_field: {**inputs.get(how.key_field, {}), how.key_name: key}} if how else inputs


def _intent(work: Work, inputs: dict[str, Any], key: str | None) -> Intent:
    from connector.store.journal import Intent

    attempt = f"{_PROCESS}-{next(_ATTEMPTS)}"
    kept = dict(sorted(inputs.items()))
    plain = json.encode_clean(kept if work.inputs.file_fields.isdisjoint(kept) else _without_files(kept))
    return Intent(
        credential=work.credential.fingerprint,
        key=key if key is not None else f"{GENERATED_KEY_PREFIX}{attempt}",
        action=work.action.id,
        digest=hashlib.sha256(plain).hexdigest(),
        inputs=plain,
        owner=attempt,
    )


def _without_files(value: Any) -> Any:
    """Inputs as the journal keeps them: of a file, only what tells it from another."""
    kind = type(value)
    if kind is bytes:
        return {"bytes": len(value), "sha256": hashlib.sha256(value).hexdigest()}
    if kind is dict:
        return {name: _without_files(item) for name, item in value.items()}
    return [_without_files(item) for item in value] if kind is list else value


def _checked_key(key: str) -> str:
    fits = isinstance(key, str) and 0 < len(key.strip()) <= len(key) <= MOST_KEY_CHARACTERS and key.isprintable()
    if not fits or key.startswith(GENERATED_KEY_PREFIX):
        raise InputError(say("key_invalid", most=MOST_KEY_CHARACTERS), field="key")
    return key
