"""Equal writes that wait for one of unknown outcome: recorded when held back, decided together when it is settled.

Only what was meant is recorded: a write under a key of its own, or one that was said to be meant again. Nothing of it
was sent, and its caller was told so. Whoever settles the unknown one may decide about all of them at once:

| said | what becomes of them |
|---|---|
| release | the host sends them, each once; where no host can, their callers may run them again |
| not release | they end, and their keys say so |
| nothing | they stay as they are: their callers may run them again, and they can be decided later |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any

from connector.core.data import localize
from connector.core.errors import InputError, LikelyRepeat
from connector.core.messages import Text, say
from connector.core.values import json
from connector.core.writes.policy import CURRENCY
from connector.runtime.context import try_commit
from connector.runtime.writes import run_audit
from connector.runtime.writes.approval import EQUAL, WAITED_FOR, check_person, not_released
from connector.runtime.writes.attempt import Attempt, error_as_dict

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.client.steps import Steps
    from connector.core.callers import CallSource
    from connector.core.manifest.model import Action
    from connector.store.runs.runs import Run

EQUALS_UNKNOWN = "equals_unknown"
"""The reason of `write_errors.equals_unknown`."""
SHOWN_RUNS = 100
"""How many of those that wait are named."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """What waits for a run: equal writes, so their sum is their number times the amount of one."""

    count: int
    amount: Decimal | None
    """Of one of them; None where the action has no single amount."""
    currency: str | None
    since: datetime
    runs: tuple[str, ...]

    @property
    def total(self) -> Decimal | None:
        """Their sum."""
        return None if self.amount is None else self.amount * self.count

    @property
    def told(self) -> Text:
        """Their number and sum, for people."""
        if self.total is None:
            return say("waiting_count", count=self.count)
        if self.currency is None:
            total = localize.in_both(localize.amount, self.total)
            return say("waiting_amount", count=self.count, total=total)
        total = localize.in_both(localize.money, self.total, self.currency)
        return say("waiting_money", count=self.count, total=total, currency=self.currency)

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON for the public interfaces."""
        return {
            "count": self.count,
            "sum": self.total,
            "currency": self.currency,
            "since": self.since,
            "runs": list(self.runs[:SHOWN_RUNS]),
            "message": self.told.as_dict(),
        }


def hold_back(attempt: Attempt, error: LikelyRepeat) -> Steps[None]:
    """Record that a write waits for an equal one of unknown outcome, if it was meant; nothing of it was sent."""
    meant = attempt.run.key is not None or attempt.again or attempt.approved
    if error.reason == EQUALS_UNKNOWN and meant:
        yield from try_commit(partial(_hold_back, attempt=attempt, error=error))


def _hold_back(connection: Connection, attempt: Attempt, error: LikelyRepeat) -> None:
    from connector.store.runs import repeats, runs

    now, run = attempt.context.clock.utcnow(), attempt.run
    # A host rebuilds the request from what is kept here, so it is kept whole, files included.
    whole = replace(run, inputs=json.encode_clean(attempt.inputs))
    if run.key is None and not attempt.approved:
        if not runs.insert(connection, whole, "claimed", now):
            return
        runs.finish(connection, run, "refused", error_as_dict(error), now)
        run_audit.ended(connection, attempt, "refused", error_as_dict(error), now)
        held = runs.find(connection, run.workspace, run.id)
    elif run.key is not None:
        held = runs.find_by_key(connection, run.workspace, run.key)
    else:
        held = runs.find(connection, run.workspace, run.id)
    if held is None or held.state != "refused" or held.owner != run.owner:
        return  # another caller has taken it over
    runs.keep_inputs(connection, held, whole.inputs)
    if attempt.context.host is not None:  # whoever sends it later needs the API key
        attempt.context.host.keep_waiting(connection, attempt.context.credential, run, None)
    repeats.record_held(connection, held, error.details["run"], now)


def waiting_for(connection: Connection, run: Run, actions: Mapping[str, Action]) -> Waiting | None:
    """Return what waits for a run; None when nothing does."""
    from connector.store.runs import repeats

    if run.kind != "write" or not repeats.count_held(connection, run.workspace, run.id):
        return None
    held = repeats.held_for(connection, run.workspace, run.id)
    amount, currency = _amount(actions.get(run.action), run.inputs)
    return Waiting(len(held), amount, currency, held[0].made_at, tuple(one.id for one in held))


def decide(connection: Connection, run: Run, release: bool, shown: int | None, by: CallSource, now: datetime) -> int:
    """Release or end what waits for a run that was settled; return how many.

    With `shown`, the number that the person has seen, they are asked again when it is another one by now.
    """
    from connector.store.runs import repeats
    from connector.store.trust import audit

    if release:
        check_person(by.actor)
    held = repeats.held_for(connection, run.workspace, run.id)
    if shown is not None and shown != len(held):
        message = say("waiting_changed", shown=shown, count=len(held))
        raise InputError(message, remedy=say("waiting_changed_remedy"), field="waiting", reason="waiting_changed")
    for one in held:
        done = _release(connection, one, by, now) if release else _end(connection, one, run, now)
        what = "run.released" if release else "run.rejected"
        if done:
            details = {WAITED_FOR: run.id, "digest": one.digest}
            audit.record_by(
                connection, by, workspace=one.workspace, what=what, subject=one.id, details=details, now=now
            )
    repeats.forget_held(connection, run.workspace, run.id)
    return len(held)


def _release(connection: Connection, held: Run, by: CallSource, now: datetime) -> bool:
    """Let a host send it, as if it had been approved; without one, leave it to its caller."""
    from connector.store.database import leases
    from connector.store.runs import approvals, runs
    from connector.store.trust import credentials, workspaces
    from connector.store.trust.sealing import BodyAltered

    if held.is_altered or not held.is_bound:
        raise BodyAltered
    kept = credentials.kept(connection, held.workspace, held.credential)
    if not leases.is_held(connection, leases.CLOCK) or (
        kept is None and credentials.chosen(connection, held.workspace) is None
    ):
        return True
    if not runs.change_state(connection, held, "awaiting_approval", None, now):
        return False
    earlier = approvals.find(connection, held.id)
    reasons = earlier.reasons if earlier is not None else EQUAL
    until = now + timedelta(hours=workspaces.find_policy(connection, held.workspace).approval_hours)
    asked = approvals.Approval(
        *(held.id, held.workspace, held.digest, "open", reasons, held.actor, held.person, now, until),
        *(None, None, None, None, None, approvals.NOTHING_TOLD),
        *((earlier.asked_id, earlier.asked_maker) if earlier is not None else ("", "")),
    )
    approvals.ask(connection, asked)
    opened = approvals.find(connection, held.id)
    if reasons == EQUAL and opened is not None:  # what the policy wants approved is asked for anew
        approvals.mark_told(connection, held.id, "awaiting_approval")
        approvals.decide(connection, opened, "approved", by.actor, None, now)
    return True


def _end(connection: Connection, held: Run, run: Run, now: datetime) -> bool:
    from connector.store.runs import runs

    outcome = {**error_as_dict(not_released(held.id, run.id)), WAITED_FOR: run.id}
    return runs.change_state(connection, held, "rejected", outcome, now)


def _amount(action: Action | None, inputs: Any) -> tuple[Decimal | None, str | None]:
    """Return the amount of a write and its currency, where it has one of its own."""
    if action is None or not isinstance(inputs, Mapping):
        return None, None
    if action.money is not None:
        name = action.money.amount
        currency: str | None = str(inputs.get(action.money.currency) or CURRENCY)
    else:
        names = [field.name for field in action.inputs if field.type == "money"]
        name, currency = names[0] if len(names) == 1 else "", None
    given = inputs.get(name)
    is_number = isinstance(given, Decimal | int) and not isinstance(given, bool)
    return (Decimal(given), currency) if is_number else (None, None)  # type: ignore[arg-type]
