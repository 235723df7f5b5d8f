"""Shows the audit log, and checks that nobody has changed it."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema
from sqlalchemy import Connection

from connector.core.callers import Actor
from connector.core.errors import InputError
from connector.core.messages import say
from connector.durable.context import JobContext
from connector.durable.upkeep.housekeeping import seal_all
from connector.operations.operation import Answer, Document, Free, Workspace, ok, operation
from connector.operations.people import HOST_WIDE, named_workspace
from connector.store.trust import audit, audit_chain
from connector.store.trust.audit_chain import Finding, Verdict
from connector.store.trust.audit_sendings import Sendings, SendingsCheck

MAX_PAGE = 1000
ANCHOR = re.compile(r"([0-9]{1,12}-)?[0-9a-fA-F]{64}")

AUDIT_PAGE = ok("AuditPage", entries=list[Free], next=str | None)


class AuditVerdict(Answer):
    """Whether the log is intact, and for each workspace its anchor, or what was found of it and of what was sent."""

    ok: bool
    chains: list[Free]


def _number(value: Any) -> Any:
    """Read a limit in a query; 0 for what is no number, which no page may be."""
    if not isinstance(value, str):
        return value
    return int(value) if value.isascii() and value.isdecimal() and len(value) <= 9 else 0


PageSize = Annotated[
    int, BeforeValidator(_number), WithJsonSchema({"type": "string"}), Field(description="At most so many.")
]


@operation("GET /v1/audit", "admin", AUDIT_PAGE, no_store=True, strict_query=True)
async def list_entries(
    context: JobContext,
    actor: Actor | None,
    workspace: Workspace = None,
    after: Annotated[str | None, Field(description="The id after which to continue.")] = None,
    limit: PageSize = MAX_PAGE,
) -> Document:
    """The audit log, oldest first.

    `next` is the id after which the next page begins, null at the end.
    """
    if not 1 <= limit <= MAX_PAGE:
        raise InputError(say("audit_limit_wrong", most=MAX_PAGE), field="limit")
    scope = await _scope(context, actor, workspace)
    await seal_all(context)
    page = await context.read(lambda connection: audit.listed(connection, scope, after, limit))
    following = page[-1].id if len(page) == limit else None
    return {"ok": True, "entries": [asdict(entry) for entry in page], "next": following}


@operation("GET /v1/audit/verify", "admin", AuditVerdict, no_store=True, strict_query=True)
async def verify_log(
    context: JobContext,
    actor: Actor | None,
    workspace: Workspace = None,
    anchor: Annotated[str | None, Field(description="An anchor kept from an earlier check.")] = None,
) -> Document:
    """Whether anybody has changed the audit log, and whether all that was sent was allowed by what it says.

    An anchor must be in a chain of the workspaces that the actor may see.
    """
    if anchor is not None and not ANCHOR.fullmatch(anchor.strip()):
        raise InputError(say("audit_anchor_wrong"), field="anchor")
    scope = await _scope(context, actor, workspace)
    await seal_all(context)
    verdicts = await context.read(lambda connection: _verdicts(connection, scope, anchor))
    intact = all(verdict.finding is None and not sendings.findings for verdict, sendings in verdicts)
    return {"ok": intact, "chains": [_chain(verdict, sendings) for verdict, sendings in verdicts]}


def _verdicts(connection: Connection, scope: str | None, anchor: str | None) -> list[tuple[Verdict, Sendings]]:
    if scope is not None:
        return [_verdict(connection, scope, anchor)]
    names = audit.workspaces_with_entries(connection)
    if anchor is not None and not audit_chain.has_anchor(connection, anchor):
        return [_verdict(connection, name, anchor) for name in names or (audit.HOST,)]
    return [_verdict(connection, name, None) for name in names]


def _verdict(connection: Connection, workspace: str, anchor: str | None) -> tuple[Verdict, Sendings]:
    check = SendingsCheck.of(connection, workspace)
    verdict = audit_chain.verify(connection, workspace, anchor, check.look_at)
    return verdict, check.result(connection)


def _chain(verdict: Verdict, sendings: Sendings) -> Document:
    finding = verdict.finding
    return {
        "workspace": verdict.workspace or None,
        "entries": verdict.entries,
        "anchor": verdict.anchor,
        "finding": None if finding is None else {**asdict(finding), "message": _message(finding)},
        "sendings": {
            "checked": sendings.checked,
            "not_known": sendings.not_known,
            "findings": [
                {**asdict(finding), "message": say(f"audit_sending_{finding.missing}", run=finding.run).as_dict()}
                for finding in sendings.findings
            ],
        },
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
