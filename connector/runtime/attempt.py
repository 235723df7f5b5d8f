"""One attempt to make a write: all that it carries from the check of its inputs to the record of its outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from connector.client import Call, Reply
from connector.core import digest
from connector.core.intent import Intent
from connector.core.policy import USUAL_REPEAT_MINUTES
from connector.core.values import json
from connector.runtime.context import ActionContext
from connector.runtime.find_payment import PaymentFinder, call_with_marks, finder_for
from connector.runtime.result import Result

if TYPE_CHECKING:
    from connector.store.runs import NewRun

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
    from connector.store.runs import NewRun, new_id

    actor = context.invoker.actor
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
        actor=actor.name if actor else None,
        person=actor.person or actor.name if actor else None,
        face=context.invoker.face,
        origin=context.invoker.origin[:100] or None,
    )
