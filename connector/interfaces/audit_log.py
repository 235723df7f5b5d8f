"""Shows and checks the audit log, the same for the host's routes and the command line."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from connector.core.errors import InputError
from connector.core.messages import say
from connector.core.roles import Actor
from connector.durable.audit_sealing import seal_all
from connector.interfaces.administration import HOST_WIDE, named_workspace
from connector.store import audit, audit_chain
from connector.store.audit_chain import Finding, Verdict

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from connector.durable.context import JobContext

MAX_PAGE = 1000
ANCHOR = re.compile(r"([0-9]{1,12}-)?[0-9a-fA-F]{64}")
Document = dict[str, Any]


async def entries(
    context: JobContext,
    actor: Actor | None,
    workspace: str | None = None,
    after: str | None = None,
    limit: int = MAX_PAGE,
) -> Document:
    """Return a page of entries; `next` is the id after which the next page begins, null at the end."""
    if not 1 <= limit <= MAX_PAGE:
        raise InputError(say("audit_limit_wrong", most=MAX_PAGE), field="limit")
    scope = await _scope(context, actor, workspace)
    await seal_all(context)
    found = await context.read(lambda connection: audit.listed(connection, scope, after, limit))
    following = found[-1].id if len(found) == limit else None
    return {"ok": True, "entries": [asdict(one) for one in found], "next": following}


async def verify(
    context: JobContext, actor: Actor | None, workspace: str | None = None, anchor: str | None = None
) -> Document:
    """Check the chains of the workspaces that the actor may see. An anchor must be in one of them."""
    if anchor is not None and not ANCHOR.fullmatch(anchor.strip()):
        raise InputError(say("audit_anchor_wrong"), field="anchor")
    scope = await _scope(context, actor, workspace)
    await seal_all(context)
    verdicts = await context.read(lambda connection: _verdicts(connection, scope, anchor))
    return {"ok": all(one.finding is None for one in verdicts), "chains": [_chain(one) for one in verdicts]}


def _verdicts(connection: Connection, scope: str | None, anchor: str | None) -> list[Verdict]:
    if scope is not None:
        return [audit_chain.verify(connection, scope, anchor)]
    names = audit.workspaces_with_entries(connection)
    if anchor is not None and not audit_chain.has_anchor(connection, anchor):
        return [audit_chain.verify(connection, name, anchor) for name in names or (audit.HOST,)]
    return [audit_chain.verify(connection, name) for name in names]


def _chain(verdict: Verdict) -> Document:
    found = verdict.finding
    return {
        "workspace": verdict.workspace or None,
        "entries": verdict.entries,
        "anchor": verdict.anchor,
        "finding": None if found is None else {**asdict(found), "message": _message(found)},
    }


def _message(finding: Finding) -> dict[str, str]:
    return say(f"audit_finding_{finding.reason}", number=finding.number, until=finding.until).as_dict()


async def _scope(context: JobContext, actor: Actor | None, workspace: str | None) -> str | None:
    """Return whose entries are meant; None: everybody's."""
    if actor is not None and actor.workspace is not None:
        return await named_workspace(context, actor, workspace)
    if workspace == HOST_WIDE:
        return audit.HOST
    return await named_workspace(context, actor, workspace) if workspace else None
