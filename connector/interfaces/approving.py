"""Policies and approvals, the same for the host's routes, the console and the command line.

Each function returns the document that all show. The actor is who asks; None is the owner of the machine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from connector.core.call_source import current_source
from connector.core.errors import KontorError
from connector.core.roles import Actor, check_role
from connector.interfaces.administration import named_workspace
from connector.runtime import rights
from connector.runtime.approval import DECIDES, decide, withdraw
from connector.runtime.held_back import waiting_for
from connector.store import approvals, audit, policies, runs

if TYPE_CHECKING:
    from connector.core.policy import Policy
    from connector.durable.context import JobContext
    from connector.store.runs import Run

Document = dict[str, Any]


async def show_policy(context: JobContext, actor: Actor | None, workspace: str | None = None) -> Document:
    """Return the policy of a workspace."""
    home = await named_workspace(context, actor, workspace)
    policy = await context.read(lambda connection: policies.find(connection, home))
    return {"ok": True, "workspace": home, "policy": policy.as_dict()}


async def set_policy(
    context: JobContext, actor: Actor | None, given: Mapping[str, Any], workspace: str | None = None
) -> Document:
    """Change the policy of a workspace; what is not named stays as it is."""
    home, now = await named_workspace(context, actor, workspace), context.now()
    actions, by = context.connector.actions, replace(current_source(), actor=actor)

    def change(connection: Connection) -> Policy:
        changed = policies.find(connection, home, lock=True).changed(given, actions)
        policies.save(connection, home, changed, now)
        details = {"changed": sorted(given), "policy": {**changed.as_dict(), "known_payees": len(changed.known_payees)}}
        audit.record_by(connection, by, workspace=home, what="policy.changed", details=details, now=now)
        return changed

    policy = await context.write(change)
    context.connector.policies.clear()
    return {"ok": True, "workspace": home, "policy": policy.as_dict()}


async def list_approvals(context: JobContext, actor: Actor | None, workspace: str | None = None) -> Document:
    """Return the runs that wait for approval."""
    scope = await named_workspace(context, actor, workspace) if workspace or (actor and actor.workspace) else None
    return {"ok": True, "runs": await context.read(lambda connection: _waiting(context, actor, connection, scope))}


async def decide_run(context: JobContext, actor: Actor | None, run: str, *, approve: bool, why: str = "") -> Document:
    """Approve or reject a run that waits; what was approved is sent by the host."""
    scope, now, by = actor.workspace if actor else None, context.now(), replace(current_source(), actor=actor)
    try:
        check_role(actor, DECIDES)
        found, problem = await context.write(lambda connection: decide(connection, scope, run, approve, why, by, now))
        if problem is not None:
            raise problem
    except KontorError as error:
        context.connector.refusals.refused(by, error)
        raise
    context.wake()
    seen = _visible(context, actor, found)
    shown = await context.read(lambda connection: shown_run(context, connection, seen))
    return {"ok": True, "run": shown}


async def withdraw_run(context: JobContext, actor: Actor | None, workspace: str, run: str) -> None:
    """Take back a run that waits for approval, as whoever asked for it."""
    now, by = context.now(), replace(current_source(), actor=actor)
    problem = await context.write(lambda connection: withdraw(connection, workspace, run, by, now))
    if problem is not None:
        context.connector.refusals.refused(by, problem)
        raise problem
    context.wake()


def shown_run(context: JobContext, connection: Connection, run: Run) -> Document:
    """Return a run as JSON, with its approval where it has one, and with the equal writes that wait for it."""
    approval, waiting = approvals.find(connection, run.id), waiting_for(connection, run, context.connector.actions)
    further = {"approval": approval, "waiting": waiting}
    return run.as_dict() | {name: value.as_dict() for name, value in further.items() if value is not None}


def _visible(context: JobContext, actor: Actor | None, run: Run) -> Run:
    return rights.visible_run(actor, run, context.connector.actions, context.connector.moving_paths)


def _waiting(context: JobContext, actor: Actor | None, connection: Connection, workspace: str | None) -> list[Document]:
    waiting = approvals.in_state(connection, "open", workspace)
    found = (runs.find(connection, one.workspace, one.run) for one in waiting)
    return [shown_run(context, connection, _visible(context, actor, run)) for run in found if run is not None]
