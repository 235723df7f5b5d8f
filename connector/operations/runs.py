"""Runs of a workspace: list and show them, settle those whose outcome is unknown, approve or reject those that wait."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Annotated

from pydantic import Field
from sqlalchemy import Connection

from connector.core.callers import Actor, check_role, current_source
from connector.core.errors import KontorError
from connector.core.messages import Text
from connector.durable.context import JobContext
from connector.operations.operation import LEFT_OUT, Access, Answer, Count, Document, Free, ok, operation
from connector.operations.people import named_workspace
from connector.runtime.requests import rights
from connector.runtime.writes.approval import DECIDES, decide, withdraw
from connector.runtime.writes.held_back import waiting_for
from connector.runtime.writes.policy_check import find_change, money_in
from connector.store.runs import approvals, runs
from connector.store.runs.runs import Kind, State
from connector.store.runs.runs import Run as StoredRun
from connector.store.trust import workspaces

PAGE_SIZE = 200
StateFilter = Annotated[State | None, Field(description="Only runs in this state, for example unknown.")]
ActionFilter = Annotated[str | None, Field(description="Only runs of this action.")]
KeyFilter = Annotated[str | None, Field(description="Only the run with this key.")]
KindFilter = Annotated[Kind | None, Field(description="write, as without it, or read: reads, without what was read.")]
After = Annotated[str | None, Field(description="Only runs after this id: the next page.")]


class Run(Answer):
    """One execution of an action, with its outcome."""

    id: str
    workspace: str
    action: str
    digest: str
    key: str | None
    state: State
    inputs: Free
    outcome: Free | None
    made_at: datetime
    changed_at: datetime
    actor: str | None
    person: str | None
    face: str | None
    origin: str | None
    kind: Kind
    approval: Free = LEFT_OUT
    waiting: Free = LEFT_OUT


RUN_LIST, RUN_SHOWN = ok("RunList", runs=list[Run]), ok("RunShown", run=Run)


@operation("GET /v1/runs", "viewer", RUN_LIST, needs_key=True, strict_query=True)
async def list_runs(
    context: JobContext,
    actor: Actor | None,
    access: Access,
    *,
    state: StateFilter = None,
    action: ActionFilter = None,
    key: KeyFilter = None,
    kind: KindFilter = None,
    after: After = None,
) -> Document:
    """Writes or reads and their outcomes, the oldest first."""
    given = {"state": state, "action": action, "key": key, "kind": kind, "after": after}
    filters = {name: value for name, value in given.items() if value is not None}
    async with access.session() as session:
        page = await session.runs(**filters, limit=PAGE_SIZE)
    return {"ok": True, "runs": [run.as_dict() for run in page]}


@operation("GET /v1/runs/{id}", "viewer", RUN_SHOWN, needs_key=True)
async def show_run(context: JobContext, actor: Actor | None, access: Access, id: str) -> Document:
    """One run, by its id or key."""
    async with access.session() as session:
        run = await session.find_run(id)
    return await _answer(context, run)


@operation("POST /v1/runs/{id}/settle", "operator", RUN_SHOWN, needs_key=True)
async def settle_run(
    context: JobContext,
    actor: Actor | None,
    access: Access,
    id: str,
    *,
    happened: bool,
    note: str = "",
    release: bool | None = None,
    waiting: Count | None = None,
) -> Document:
    """Records whether an unknown run happened, and whether the equal writes that wait for it are sent."""
    async with access.session() as session:
        run = await session.settle(id, happened, note, actor, release=release, waiting=waiting)
    context.wake()
    return await _answer(context, run)


@operation("GET /v1/approvals", "viewer", RUN_LIST)
async def list_approvals(
    context: JobContext,
    actor: Actor | None,
    workspace: Annotated[str | None, Field(description="Only those of this workspace.")] = None,
) -> Document:
    """Runs that wait for approval."""
    scope = await named_workspace(context, actor, workspace) if workspace or (actor and actor.workspace) else None
    return {"ok": True, "runs": await context.read(lambda connection: _waiting(context, actor, connection, scope))}


@operation("POST /v1/runs/{id}/approve", DECIDES, RUN_SHOWN)
async def approve_run(context: JobContext, actor: Actor | None, id: str, why: str = "") -> Document:
    """Approves a run that waits; the host then sends it."""
    return await decide_run(context, actor, id, approve=True, why=why)


@operation("POST /v1/runs/{id}/reject", DECIDES, RUN_SHOWN)
async def reject_run(context: JobContext, actor: Actor | None, id: str, why: str = "") -> Document:
    """Rejects a run that waits; it is not sent."""
    return await decide_run(context, actor, id, approve=False, why=why)


async def decide_run(context: JobContext, actor: Actor | None, run: str, *, approve: bool, why: str = "") -> Document:
    """Approve or reject a run that waits; what was approved is sent by the host."""
    scope, now, by = actor.workspace if actor else None, context.now(), replace(current_source(), actor=actor)
    try:
        check_role(actor, DECIDES)
        decided, problem = await context.write(lambda connection: decide(connection, scope, run, approve, why, by, now))
        if problem is not None:
            raise problem
    except KontorError as error:
        context.connector.shared.refusals.refused(by, error)
        raise
    context.wake()
    return await _answer(context, _visible(context, actor, decided))


async def withdraw_run(context: JobContext, actor: Actor | None, workspace: str, run: str) -> None:
    """Take back a run that waits for approval, as whoever asked for it."""
    now, by = context.now(), replace(current_source(), actor=actor)
    problem = await context.write(lambda connection: withdraw(connection, workspace, run, by, now))
    if problem is not None:
        context.connector.shared.refusals.refused(by, problem)
        raise problem
    context.wake()


async def _answer(context: JobContext, run: StoredRun) -> Document:
    return {"ok": True, "run": await context.read(lambda connection: _with_approval(context, connection, run))}


def _with_approval(context: JobContext, connection: Connection, run: StoredRun) -> Document:
    """Return a run as JSON, with its approval where it has one, and with the equal writes that wait for it."""
    approval, waiting = approvals.find(connection, run.id), waiting_for(connection, run, context.connector.actions)
    further = {"approval": approval, "waiting": waiting}
    document = run.as_dict() | {name: value.as_dict() for name, value in further.items() if value is not None}
    if approval is not None and approval.state == "open":
        document["approval"]["warnings"] = [text.as_dict() for text in _payee_warnings(context, connection, run)]
    return document


def _payee_warnings(context: JobContext, connection: Connection, run: StoredRun) -> tuple[Text, ...]:
    """Return what is different from those who are known, of the payee of a run that waits."""
    action = context.connector.actions.get(run.action)
    money = None if action is None or not isinstance(run.inputs, Mapping) else money_in(action, run.inputs)
    if money is None:
        return ()
    policy = workspaces.find_policy(connection, run.workspace)
    _, change = find_change(connection, run.workspace, policy, money)
    return () if change is None else (change.text,)


def _visible(context: JobContext, actor: Actor | None, run: StoredRun) -> StoredRun:
    return rights.visible_run(actor, run, context.connector.actions, context.connector.moving_paths)


def _waiting(context: JobContext, actor: Actor | None, connection: Connection, workspace: str | None) -> list[Document]:
    waiting = approvals.in_state(connection, "open", workspace)
    asked = (runs.find(connection, approval.workspace, approval.run) for approval in waiting)
    return [_with_approval(context, connection, _visible(context, actor, run)) for run in asked if run is not None]
