"""One attempt to make a write: all that it carries, and what is said of it when it was not made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from connector.client import Call, Reply
from connector.client.verdict import has_ledger_code
from connector.core.callers import Intent
from connector.core.errors import InputError, KontorError, LikelyRepeat, OutcomeUnknown, Proof
from connector.core.messages import ANYWHERE, Text, joined, say
from connector.core.values import json
from connector.core.writes import marks
from connector.core.writes.policy import USUAL_REPEAT_MINUTES
from connector.runtime.context import ActionContext
from connector.runtime.result import Result
from connector.runtime.writes.find_payment import PaymentFinder, call_with_marks, finder_for

if TYPE_CHECKING:
    from connector.store.runs.runs import NewRun, Run

CONNECT_ROLE = "bank_connect"
"""Of the action whose output names what is watched from then on."""
_PROCESS, _ATTEMPTS = uuid4().hex, count(1)
"""Together they identify an attempt across all processes."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to make a write."""

    context: ActionContext
    run: NewRun
    inputs: dict[str, Any]
    intent: Intent
    planned: Call
    """The call as it was planned, without marks."""
    result_of: Callable[[Call, Reply], Result]
    approved: bool = False
    """Whether another person has approved exactly this request."""
    repeat_minutes: int = USUAL_REPEAT_MINUTES
    """For how long an equal write without a key is held back."""
    warnings: tuple[Text, ...] = ()
    """What the policy has noticed that does not hinder it."""

    @property
    def repeat_window(self) -> timedelta:
        """The same as a duration."""
        return timedelta(minutes=self.repeat_minutes)

    @property
    def again(self) -> bool:
        """Whether a person has said that it is meant although an equal one was made."""
        return self.intent.again

    @property
    def is_recorded(self) -> bool:
        """Whether the run is in the database already before it is sent."""
        return self.approved or self.run.key is not None

    @property
    def yields_to_equal(self) -> bool:
        """Whether an equal write of the last minutes holds it back: without a key, or under one that may be new."""
        if self.again or self.repeatable or self.approved:
            return False
        return self.run.key is None or self.intent.guarded

    @property
    def keeps_output(self) -> bool:
        """Whether anybody asks for its output later: who repeats its key, who approved it, what watches a payment."""
        action = self.context.action
        return self.is_recorded or action.money is not None or action.role == CONNECT_ROLE

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
    def finder(self) -> PaymentFinder | None:
        """What finds it at the service; None when that is impossible."""
        context = self.context
        return finder_for(context.action, context.find_action, context.sender, self.run.workspace)

    @property
    def repeatable(self) -> bool:
        """Whether doing it twice has the same result as doing it once."""
        return self.context.action.repeat != "duplicates"


def new_run(context: ActionContext, workspace: str, inputs: dict[str, Any], key: str | None) -> NewRun:
    """Return the run of a new attempt."""
    from connector.store.runs.runs import NewRun, new_id

    actor = context.invoker.actor
    kept = inputs if context.inputs.file_fields.isdisjoint(inputs) else marks.without_files(inputs)
    return NewRun(
        id=new_id(context.clock.utcnow()),
        workspace=workspace,
        key=key,
        credential=context.credential.fingerprint,
        action=context.action.id,
        digest=marks.digest(context.action.id, inputs),
        inputs=json.encode_clean(kept),
        owner=f"{_PROCESS}-{next(_ATTEMPTS)}",
        actor=actor.name if actor else None,
        person=actor.person or actor.name if actor else None,
        face=context.invoker.face,
        origin=context.invoker.origin[:100] or None,
    )


DESCRIBED_KINDS = ("key_refused", "reconnect_needed", "service_not_booked")
"""The kinds of refusals that the service's description tells of."""
PROVIDER_FAILED = "provider_failed_write"
"""The accounting provider reports a failure of a write."""
PROVIDER, STATUS = "provider", "status"
"""The details of an error that hold what it says, and with which status the service answered at all."""


def equals_unknown(run_id: str) -> LikelyRepeat:
    """Return the refusal of a write that equals one of unknown outcome."""
    remedy = say("equals_unknown_remedy", run=run_id)
    return LikelyRepeat(
        say("equals_unknown", run=run_id), remedy=remedy, details={"run": run_id}, reason="equals_unknown"
    )


def cancelled() -> KontorError:
    """Return what is told of a write that a person cancelled before it was sent."""
    return KontorError(
        say("run_cancelled"), remedy=say("run_cancelled_remedy"), outcome="not_sent", reason="run_cancelled"
    )


def abandoned() -> KontorError:
    """Return what a run keeps whose caller gave it up while it waited to be sent."""
    return KontorError(say("abandoned"), remedy=say("abandoned_remedy"), outcome="not_sent", reason="abandoned")


def likely_repeat(attempt: Attempt, run_id: str, earlier: Run | None) -> LikelyRepeat:
    """Return the refusal of a write that equals one of the last minutes, and how the service answered that one."""
    minutes, details = attempt.repeat_minutes, {"run": run_id}
    if earlier is None or earlier.state != "refused" or earlier.outcome is None:
        return LikelyRepeat(say("likely_repeat", run=run_id, minutes=minutes), details=details)
    said = stored_error(earlier.outcome).message
    text = say("likely_repeat_refused", run=run_id, minutes=minutes, said=said)
    return LikelyRepeat(text, remedy=say("likely_repeat_refused_remedy"), details=details)


def settled_meanwhile(run_id: str) -> LikelyRepeat:
    """Return the refusal of a write that was settled by a person before it was sent once more."""
    return LikelyRepeat(say("settled_meanwhile", run=run_id), details={"run": run_id})


def outcome_unknown(attempt: Attempt, first: Mapping[str, Any], cause: Exception | None = None) -> OutcomeUnknown:
    """Return the error that says what to do about a write of unknown outcome."""
    details = {"run": attempt.run.id, "key": attempt.run.key, "first": first}
    answered = first.get("details") or {}
    if PROVIDER in answered:  # repeating would only fail again
        remedy = say("parked_remedy", run=attempt.run.id)
        return OutcomeUnknown(stored_error(first).message, remedy=remedy, details=details, reason=PROVIDER_FAILED)
    message = joined(say("parked"), stored_error(first).message) if STATUS in answered else say("parked")
    if attempt.repeatable:
        return OutcomeUnknown(message, remedy=say("repeat_is_harmless"), details=details, retryable=True)
    findable = attempt.finder is not None and attempt.run.key is not None
    remedy = say("parked_look_again" if findable else "parked_remedy", key=attempt.run.key, run=attempt.run.id)
    error = OutcomeUnknown(message, remedy=remedy, details=details, retryable=findable)
    if isinstance(cause, OutcomeUnknown) and has_ledger_code(cause):  # its remedy helps the next write
        error.remedy = joined(remedy, cause.remedy)
        error.reconnect_url = cause.reconnect_url
    return error


def refused_before(run_id: str, outcome: Mapping[str, Any]) -> KontorError:
    """Return the refusal that a run keeps, with what to do if the write is meant all the same."""
    error = stored_error(outcome)
    error.remedy = joined(error.remedy, say("refused_before_remedy"))
    error.details = {**(error.details if isinstance(error.details, Mapping) else {}), "run": run_id, "replayed": True}
    return error


def limited_too_often() -> OutcomeUnknown:
    """Return what is told of a write that the rate limiter turned away each time it may be sent."""
    return OutcomeUnknown(say("limited_too_often"), reason="limited_too_often")


def look_failed(error: KontorError) -> KontorError:
    """Return the error of a look that failed before anything was sent."""
    return type(error)(
        say("look_failed", why=error.message),
        remedy=error.remedy,
        field=error.field,
        outcome="not_sent",
        retry_at=error.retry_at,
        reconnect_url=error.reconnect_url,
        details=error.details,
        retryable=error.retryable,
    )


def key_conflict(attempt: Attempt) -> InputError:
    """Return the refusal of a key that was used with other inputs."""
    return InputError(say("key_conflict", key=attempt.run.key), remedy=say("key_conflict_remedy"), field="key")


def error_as_dict(error: BaseException) -> dict[str, Any]:
    """Return an error as a run keeps it, which another caller may read."""
    if not isinstance(error, KontorError):
        return {"kind": "error", "message": type(error).__name__}
    return {**error.as_dict(platform=ANYWHERE), "messages": error.message.as_dict(ANYWHERE)}


def outcome_of(output: Any, cost: Decimal, warnings: Iterable[Text]) -> dict[str, Any]:
    """Return what a run keeps of a write that was done; None as output keeps none."""
    outcome: dict[str, Any] = {"cost": cost} | ({} if output is None else {"output": output})
    noticed = [warning.as_dict(ANYWHERE) for warning in warnings]
    return outcome | ({"warnings": noticed} if noticed else {})


def stored_warnings(outcome: Mapping[str, Any]) -> tuple[Text, ...]:
    """Return the warnings that a run keeps, for whoever repeats its key."""
    return tuple(Text(each["en"], each["de"]) for each in outcome.get("warnings", ()))


def stored_error(outcome: Mapping[str, Any]) -> KontorError:
    """Return the error that a run keeps."""
    kinds = {kind.kind: kind for kind in KontorError.__subclasses__()}
    message = outcome.get("messages") or dict.fromkeys(("en", "de"), str(outcome.get("message", "")))
    error = kinds.get(str(outcome.get("kind")), KontorError)(
        Text(message["en"], message["de"]),
        remedy=Text(remedy["en"], remedy["de"]) if (remedy := outcome.get("remedy")) else None,
        field=outcome.get("field"),
        outcome=outcome.get("outcome"),
        reconnect_url=outcome.get("reconnect_url"),
        details=outcome.get("details"),
    )
    error.proof = proof_in(outcome)
    return error


def proof_in(outcome: Mapping[str, Any] | None) -> Proof | None:
    """Return on what ground a run counts as refused; earlier releases kept none, and only some kinds are described."""
    if not outcome or outcome.get("outcome") != "refused":
        return None
    if "proof" in outcome:
        proof: Proof | None = outcome["proof"]
        return proof
    return "described" if outcome.get("kind") in DESCRIBED_KINDS else "assumed"
