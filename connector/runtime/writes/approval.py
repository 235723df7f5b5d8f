"""Lets a write wait until another person has approved it, and records what that person says."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING

from connector.client.steps import Commit, Steps
from connector.core.callers import Actor, Role
from connector.core.errors import InputError, KontorError, NotFound, RightMissing
from connector.core.messages import Text, say
from connector.core.values import json
from connector.core.writes.person_names import SESSION
from connector.core.writes.policy import Reason
from connector.runtime.context import before_sending
from connector.runtime.requests.rights import role_to_run
from connector.runtime.result import WAITS, Result
from connector.runtime.writes.attempt import Attempt, equals_unknown, likely_repeat

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from sqlalchemy import Connection

    from connector.core.callers import CallSource
    from connector.core.manifest.model import Action
    from connector.store.runs.approvals import Approval
    from connector.store.runs.runs import Run

DECIDES: Role = "approver"
"""The role that decides."""
EQUAL: tuple[Reason, ...] = ("equal",)
"""The reasons of what waited for an equal write of unknown outcome, and was released with it."""
WAITED_FOR = "waited_for"
"""In the outcome of a run that was not released: which run it waited for."""
VOID = (
    *("approval_changed", "approval_asker_gone", "approval_approver_gone", "approval_not_enough"),
    "rights_unverified",
)
"""Why an approval does not hold any more when it is to be used."""
CONFIRMED: tuple[Reason, ...] = ("agent",)
"""The reasons of what only a person, any person, has to confirm for an agent."""


def ask(attempt: Attempt, reasons: tuple[Reason, ...]) -> Steps[Result]:
    """Record that the write waits for approval, and return that. Nothing is sent."""
    policy = yield from before_sending(attempt.context.policy(attempt.run.workspace, True))
    now = attempt.context.clock.utcnow()
    until = now + timedelta(hours=policy.approval_hours)
    change = partial(_ask, attempt=attempt, reasons=reasons, now=now, until=until)
    until = yield from before_sending(Commit(change))
    return Result.waiting(attempt.run.action, attempt.run.id, until)


def _ask(
    connection: Connection, attempt: Attempt, reasons: tuple[Reason, ...], now: datetime, until: datetime
) -> datetime:
    from connector.store.runs import approvals, repeats, runs
    from connector.store.trust import audit

    context, callback = attempt.context, None
    if context.host is None:
        _check_sender(connection, attempt)
    else:
        callback = context.host.keep_waiting(connection, context.credential, attempt.run, context.invoker.callback_url)
    # A host rebuilds the request from what is kept here, so it is kept whole, files included.
    run = replace(attempt.run, inputs=json.encode_clean(attempt.inputs))
    equal = None if attempt.is_recorded or attempt.repeatable else runs.unresolved_equal_to(connection, run)
    if equal is not None:
        raise equals_unknown(equal[1])
    earlier = repeats.admit(connection, run, now, attempt.repeat_window) if attempt.yields_to_equal else None
    if earlier is not None:
        raise likely_repeat(attempt, earlier, runs.find(connection, run.workspace, earlier))
    if attempt.is_recorded:
        runs.await_approval(connection, run, now)
    else:
        runs.insert(connection, run, "awaiting_approval", now)
    asker, before = context.invoker.actor, approvals.find(connection, run.id)
    asked_id, asked_maker = (asker.person_id, asker.made_by) if asker is not None else ("", "")
    if asker is None and before is not None:  # the host goes on with what a person has asked for
        asked_id, asked_maker = before.asked_id, before.asked_maker
    asked = approvals.Approval(
        *(run.id, run.workspace, run.digest, "open", reasons, run.actor, run.person, now, until),
        *(None, None, None, None, callback, approvals.NOTHING_TOLD, asked_id, asked_maker),
    )
    approvals.ask(connection, asked)
    by, details = attempt.context.invoker, {"action": run.action, "reasons": list(reasons)}
    audit.record_by(connection, by, workspace=run.workspace, what="run.asked", subject=run.id, details=details, now=now)
    kept = approvals.find(connection, run.id)
    return until if kept is None else kept.expires_at


def _check_sender(connection: Connection, attempt: Attempt) -> None:
    """Refuse what nobody could send later: where no host runs, or none that keeps this API key."""
    from connector.store.database import leases
    from connector.store.trust import credentials

    fingerprint = attempt.context.credential.fingerprint
    if (
        not leases.is_held(connection, leases.CLOCK)
        or credentials.kept(connection, attempt.run.workspace, fingerprint) is None
    ):
        remedy = say("approval_needs_host_remedy")
        raise RightMissing(say("approval_needs_host"), remedy=remedy, outcome="not_sent", reason="approval_needs_host")


def decide(
    connection: Connection, workspace: str | None, id: str, approve: bool, why: str, by: CallSource, now: datetime
) -> tuple[Run, KontorError | None]:
    """Record that a person approves or rejects a run that waits, and return it; or return what is in the way.

    What is in the way is returned, not raised, since what has run out of time is recorded as that.
    """
    from connector.store.runs import approvals, runs
    from connector.store.trust import audit

    actor = by.actor
    if approve:
        check_person(actor)
    run, found = runs.find(connection, workspace, id), approvals.find(connection, id)
    if run is None:
        raise NotFound(say("run_not_found", id=id), remedy=say("approval_none_remedy"), outcome="not_sent")
    if found is None or run.state != WAITS or found.state != "open":
        return run, _not_waiting(run, found)
    if now >= found.expires_at:
        expire(connection, found, now)
        return run, InputError(say("approval_expired", id=id), remedy=say("approval_again_remedy"), field="id")
    refusal = refusal_of(connection, found, actor) if approve else None
    if refusal is not None:
        remedy = say(f"{refusal}_remedy", run=id)
        return run, RightMissing(say(refusal), remedy=remedy, outcome="not_sent", reason=refusal)
    if not approvals.decide(connection, found, "approved" if approve else "rejected", actor, why or None, now):
        return run, _not_waiting(run, approvals.find(connection, id))
    what, details = "run.approved" if approve else "run.rejected", {"digest": found.digest, "why": why}
    audit.record_by(connection, by, workspace=run.workspace, what=what, subject=id, details=details, now=now)
    if not approve:
        rejected = replace(run, state="rejected")
        ending = _not_approved(_rejection(id, _named(actor)[1], why), rejected)
        runs.end_waiting(connection, id, "rejected", ending.as_dict(), now)
    return runs.find(connection, workspace, id) or run, None


def withdraw(
    connection: Connection, workspace: str | None, id: str, by: CallSource, now: datetime
) -> KontorError | None:
    """Take back a run that waits, as whoever asked for it may; return what is in the way."""
    from connector.store.runs import approvals, runs
    from connector.store.trust import audit

    run, found = runs.find(connection, workspace, id), approvals.find(connection, id)
    if run is None:
        raise NotFound(say("run_not_found", id=id), remedy=say("approval_none_remedy"), outcome="not_sent")
    if found is None or run.state != WAITS or found.state != "open":
        return _not_waiting(run, found)
    if not is_asker(found, by.actor):
        message, remedy = say("withdraw_other"), say("withdraw_other_remedy")
        return RightMissing(message, remedy=remedy, outcome="not_sent", reason="withdraw_other")
    if not approvals.decide(connection, found, "rejected", by.actor, None, now):
        return _not_waiting(run, approvals.find(connection, id))
    audit.record_by(connection, by, workspace=run.workspace, what="run.withdrawn", subject=id, now=now)
    refusal = RightMissing(
        say("approval_withdrawn"), remedy=say("run_cancelled_remedy"), outcome="not_sent", reason="rejected"
    )
    runs.end_waiting(connection, id, "rejected", {**refusal.as_dict(), "withdrawn": True}, now)
    return None


def _not_waiting(run: Run, found: Approval | None) -> InputError:
    state = found.state if found is not None and found.state == "approved" else run.state
    message = say("approval_none", id=run.id, state=state)
    return InputError(message, remedy=say("approval_none_remedy"), field="id", reason="approval_none")


def check_person(actor: Actor | None) -> None:
    """Raise where an agent decides what a person has to: that something is sent after all."""
    if actor is not None and actor.agent:
        message, remedy = say("agent_decides", name=actor.name), say("agent_decides_remedy")
        raise RightMissing(message, remedy=remedy, outcome="not_sent", reason="agent_decides")


def why_not(found: Approval, actor: Actor | None) -> str | None:
    """Return the message that says why this is no second person; None where it is one.

    People are compared by their ids. Only what nobody else was ever shown counts, a sign-in or a token of one's own,
    and whoever has made the token that asked counts as having asked.
    """
    if found.reasons == EQUAL:
        return None
    if found.reasons == CONFIRMED:  # the person behind the agent may confirm, but not with the agent's own token
        return "approval_own" if actor is not None and actor.name == found.asked_by else None
    if is_asker(found, actor):
        return "approval_own"
    return None if actor is None or actor.is_own else "approval_no_person"


def refusal_of(connection: Connection, found: Approval, actor: Actor | None) -> str | None:
    """Return why this is no second person, by all that is known; None where it is one."""
    found = _with_people(connection, found)
    refusal = why_not(found, actor)
    if refusal is None and found.reasons not in {EQUAL, CONFIRMED} and actor is not None:
        return "approval_invited" if may_be_one(connection, found.workspace, found.hands, actor) else None
    return refusal


def may_be_one(connection: Connection, workspace: str, hands: Collection[str], actor: Actor) -> bool:
    """Whether one person may be behind asker and actor by having invited them, where the policy takes two to loosen it.

    Elsewhere an admin may loosen the policy alone, and inventing people would gain nothing. Where the row of one of
    them does not verify, nobody can tell.
    """
    from connector.store.people import people
    from connector.store.trust import workspaces
    from connector.store.trust.rights_register import Unverified

    if workspaces.find_policy(connection, workspace).loosen != "approve":
        return False
    try:
        return not people.hands_behind(connection, hands).isdisjoint(people.hands_behind(connection, actor.hands))
    except Unverified:
        return True


def is_asker(found: Approval, actor: Actor | None) -> bool:
    """Whether this may be who asked."""
    if actor is None or found.asked_by is None:
        return actor is None and found.asked_by is None
    return actor.name == found.asked_by or bool(actor.hands & found.hands)


def _with_people(connection: Connection, found: Approval) -> Approval:
    """Return an approval with the id of who asked, where it was asked for before people had ids."""
    from connector.store.people import people

    if found.asked_id or not found.asked_person:
        return found
    try:
        asker = people.called(connection, found.workspace, found.asked_person)
    except InputError:
        return found
    return found if asker is None else replace(found, asked_id=asker.id)


def check_again(connection: Connection, found: Approval, action: Action, reasons: tuple[Reason, ...]) -> None:
    """Raise unless asker and approver still may, right before what they agreed on is sent.

    `reasons` are why the policy of this moment asks for an approval.
    """
    only_equal = found.reasons == EQUAL  # who settled the equal one has decided, with the right to run it
    if only_equal and reasons:
        raise _void("approval_not_enough", found.run)
    asker = Actor(found.asked_by or "", "viewer", None, found.asked_person or "", person_id=found.asked_id)
    approver = Actor(found.decided_by or "", "viewer", None, found.decided_person or "", person_id=found.decided_id)
    for actor, role, message in (
        (asker, role_to_run(action), "approval_asker_gone"),
        (approver, role_to_run(action) if only_equal else DECIDES, "approval_approver_gone"),
    ):
        if not still_may(connection, found.workspace, actor, role):
            raise _void(message, found.run, person=actor.person or actor.name)
    needed = replace(found, reasons=tuple(sorted({*found.reasons, *reasons})))
    own = replace(approver, made_by=found.decided_id)  # what was decided by somebody else's token has no id
    if found.decided_by is not None and refusal_of(connection, needed, own) is not None:
        raise _void("approval_not_enough", found.run)


def still_may(connection: Connection, workspace: str, actor: Actor, role: Role) -> bool:
    """Whether neither the token nor the person of somebody has lost the right since."""
    from connector.store.people import people
    from connector.store.trust import tokens

    held = tokens.of_person(connection, workspace, actor.name, actor.person or actor.name) if actor.name else []
    if any(token.revoked_at is not None or not token.actor.may(role) for token in held):
        return False
    person = people.find(connection, actor.person_id) if actor.person_id else None
    if person is None:
        return not actor.person_id
    if actor.name.startswith(SESSION):  # by a sign-in the person's own role counts
        return person.is_active and person.role is not None and replace(actor, role=person.role).may(role)
    return person.revoked_at is None


def _void(message: str, run: str, **values: object) -> RightMissing:
    text, remedy = say(message, id=run, **values), say("approval_again_remedy")
    return RightMissing(text, remedy=remedy, outcome="not_sent", details={"run": run}, reason=message)


def expire(connection: Connection, found: Approval, now: datetime) -> None:
    """Record that nobody decided in time."""
    from connector.store.runs import approvals

    if approvals.decide(connection, found, "expired", None, None, now):
        _end(connection, found, say("approval_expired", id=found.run), now)


def lapse(connection: Connection, found: Approval, now: datetime, why: KontorError | None = None) -> None:
    """Take back an approval that is too old to be used, or that does not hold any more."""
    from connector.store.runs import approvals

    if approvals.lapse(connection, found):
        _end(connection, found, why.message if why else say("approval_lapsed", id=found.run), now, why)


def _end(connection: Connection, found: Approval, message: Text, now: datetime, why: KontorError | None = None) -> None:
    from connector.store.runs import runs
    from connector.store.trust import audit

    refusal = RightMissing(message, remedy=say("approval_again_remedy"), outcome="not_sent", reason="expired")
    runs.end_waiting(connection, found.run, "expired", refusal.as_dict(), now)
    what, details = ("run.void", {"reason": why.reason}) if why else ("run.expired", {})
    audit.record(connection, workspace=found.workspace, what=what, subject=found.run, details=details, now=now)


def refused_earlier(connection: Connection, run: Run) -> RightMissing:
    """Return the answer to a key whose run nobody approved."""
    from connector.store.runs import approvals

    waited_for = run.outcome.get(WAITED_FOR) if isinstance(run.outcome, dict) else None
    if waited_for is not None:
        return not_released(run.id, waited_for)
    found = approvals.find(connection, run.id)
    if run.state == "rejected" and found is not None:
        return _not_approved(_rejection(found.run, found.decided_person, found.why), run)
    return _not_approved(say("approval_expired", id=run.id), run)


def not_released(run_id: str, waited_for: str) -> RightMissing:
    """Return what is told of a write that waited for an equal one, and that a person decided not to send."""
    message, remedy = say("not_released", run=waited_for), say("approval_again_remedy")
    return RightMissing(message, remedy=remedy, outcome="not_sent", details={"run": run_id}, reason="not_released")


def _rejection(run_id: str, person: str | None, why: str | None) -> Text:
    return say("approval_rejected", person=person or "Kontor", id=run_id, why=why or say("approval_no_reason"))


def _not_approved(message: Text, run: Run) -> RightMissing:
    remedy, details = say("approval_again_remedy"), {"run": run.id}
    return RightMissing(message, remedy=remedy, outcome="not_sent", details=details, reason=run.state)


def _named(actor: Actor | None) -> tuple[str | None, str | None]:
    return (actor.name, actor.person or actor.name) if actor else (None, None)
