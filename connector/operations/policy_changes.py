"""What would loosen a policy and waits for a second person: shows, approves and rejects it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import Connection

from connector.core.callers import Actor, CallSource, Role, current_source
from connector.core.errors import NotFound, RightMissing
from connector.core.messages import say
from connector.core.writes.policy import Policy
from connector.durable.context import JobContext
from connector.operations.operation import Conflict, Document, Free, ok, operation
from connector.operations.people import named_workspace
from connector.runtime.writes.approval import DECIDES, check_person, may_be_one, still_may
from connector.store.people import policy_changes
from connector.store.people.policy_changes import PolicyChange
from connector.store.trust import audit, workspaces
from connector.store.trust.audit_sendings import policy_told

ASKS: Role = "admin"
"""The role that asks for a change, and has to have it still when it is approved."""
DECIDED = ok("PolicyChangeDecided", id=str, workspace=str, state=str)


@operation("GET /v1/policy/changes", "viewer", ok("PolicyChangeList", changes=list[Free]))
async def list_policy_changes(
    context: JobContext,
    actor: Actor | None,
    workspace: Annotated[str | None, Field(description="Only those of this workspace.")] = None,
) -> Document:
    """Changes of policies that wait for a second person."""
    scope = await named_workspace(context, actor, workspace) if workspace or (actor and actor.workspace) else None
    now = context.now()
    waiting = await context.read(lambda connection: policy_changes.waiting(connection, scope, now))
    return {"ok": True, "changes": [change.as_dict() for change in waiting]}


@operation("POST /v1/policy/changes/{id}/approve", DECIDES, DECIDED, conflicts=True)
async def approve_policy_change(context: JobContext, actor: Actor | None, id: str) -> Document:
    """Approves a change that loosens a policy; it holds at once."""
    return await _decide(context, actor, id, approve=True)


@operation("POST /v1/policy/changes/{id}/reject", DECIDES, DECIDED, conflicts=True)
async def reject_policy_change(context: JobContext, actor: Actor | None, id: str) -> Document:
    """Rejects a change that loosens a policy, or takes it back."""
    return await _decide(context, actor, id, approve=False)


def why_not(change: PolicyChange, actor: Actor | None) -> str | None:
    """Return the message that says why this is no second person; None where it is one."""
    if actor is None or change.asked_by is None:
        return "approval_own" if actor is None and change.asked_by is None else None if actor is None else _own(actor)
    if actor.name == change.asked_by or actor.hands & change.hands:
        return "approval_own"
    return _own(actor)


def _own(actor: Actor) -> str | None:
    """Loosening takes two people: here the owner of the machine is not one by the host's token."""
    return None if actor.is_own and not actor.is_owner else "approval_no_person"


def refusal_of(connection: Connection, change: PolicyChange, actor: Actor | None) -> str | None:
    """Return why this is no second person, by all that is known; None where it is one."""
    refusal = why_not(change, actor)
    if refusal is None and actor is not None and may_be_one(connection, change.workspace, change.hands, actor):
        return "approval_invited"
    return refusal


async def _decide(context: JobContext, actor: Actor | None, id: str, *, approve: bool) -> Document:
    scope, now, by = actor.workspace if actor else None, context.now(), replace(current_source(), actor=actor)
    if approve:
        check_person(actor)
    change = await context.write(lambda connection: _decided(context, connection, scope, id, approve, by, now))
    context.connector.shared.policies.clear()
    return {"ok": True, "id": id, "workspace": change.workspace, "state": "approved" if approve else "rejected"}


def _decided(
    context: JobContext,
    connection: Connection,
    scope: str | None,
    id: str,
    approve: bool,
    by: CallSource,
    now: datetime,
) -> PolicyChange:
    change = policy_changes.find(connection, scope, id)
    if change is None:
        remedy = say("policy_change_none_remedy")
        raise NotFound(say("policy_change_none", id=id[:40]), remedy=remedy, outcome="not_sent")
    refusal = refusal_of(connection, change, by.actor) if approve else None
    if refusal is not None:
        remedy = say("policy_change_own_remedy" if refusal == "approval_own" else f"{refusal}_remedy")
        raise RightMissing(say(refusal), remedy=remedy, outcome="not_sent", reason=refusal)
    if change.state != "open" or now >= change.expires_at:
        raise _over(id)
    if approve and not still_may(connection, change.workspace, change.asker, ASKS):
        raise _over(id)
    policy = workspaces.find_policy(connection, change.workspace, lock=True)
    if approve and not _is_as_before(policy, change.before):
        raise _over(id)
    if not policy_changes.decide(connection, id, "approved" if approve else "rejected", by.actor, now):
        raise _over(id)
    if approve:
        changed = policy.changed(change.after, context.connector.actions)
        workspaces.save_policy(connection, change.workspace, changed, now)
        policy_details = {"changed": sorted(change.after), "policy": policy_told(changed)}
        audit.record_by(
            connection, by, workspace=change.workspace, what="policy.changed", details=policy_details, now=now
        )
    what, details = f"policy.loosening_{'approved' if approve else 'rejected'}", {"changed": sorted(change.after)}
    audit.record_by(connection, by, workspace=change.workspace, what=what, subject=id, details=details, now=now)
    return change


def _is_as_before(policy: Policy, before: Mapping[str, Any]) -> bool:
    """Whether the settings have the values from which the change was asked for: another one is another question."""
    now = policy.as_dict()
    return all(now[name] == value for name, value in before.items())


def _over(id: str) -> Conflict:
    remedy = say("policy_change_none_remedy")
    return Conflict(say("policy_change_over", id=id[:40]), remedy=remedy, field="id", reason="policy_change_over")
