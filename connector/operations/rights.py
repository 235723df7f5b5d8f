"""Shows rows that grant something and do not verify, and clears them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field
from sqlalchemy import Connection

from connector.core.callers import Actor, current_source
from connector.core.errors import InputError, RightMissing
from connector.core.messages import say
from connector.durable.context import JobContext
from connector.durable.upkeep.housekeeping import note_unverified
from connector.operations.catalog import InBothLanguages
from connector.operations.operation import Answer, Document, ok, operation
from connector.store.runs import unverified
from connector.store.trust.rights_register import Finding


class UnverifiedRight(Answer):
    """A row that grants something, and that somebody without the data key has changed."""

    subject: Annotated[str, Field(description="By which it is cleared: its kind and identity.")]
    kind: str
    identity: list[str]
    reason: Literal["altered", "missing", "inserted", "register"]
    workspace: Annotated[str | None, Field(description="Null: it concerns the whole host.")]
    since: Annotated[datetime | None, Field(description="Since when that is known.")]
    message: InBothLanguages


@operation("GET /v1/rights", "admin", ok("UnverifiedRights", rights=list[UnverifiedRight]), no_store=True)
async def list_unverified(context: JobContext, actor: Actor | None) -> Document:
    """Rows that grant something and were changed in the database from outside Kontor; they grant nothing."""
    findings = [finding for finding in await note_unverified(context) if _may_see(actor, finding)]
    since = await context.read(unverified.noticed)
    return {
        "ok": True,
        "rights": [
            {
                "subject": finding.subject,
                "kind": str(finding.kind),
                "identity": list(finding.identity),
                "reason": finding.reason,
                "workspace": finding.workspace or None,
                "since": since.get(finding.subject[: unverified.MAX_SUBJECT]),
                "message": say(f"attention_rights_{finding.reason}", what=finding.what).as_dict(),
            }
            for finding in findings
        ],
    }


@operation("POST /v1/rights/clear", "admin", ok("RightCleared", subject=str, became=str))
async def clear_unverified(context: JobContext, actor: Actor | None, subject: str) -> Document:
    """Deletes or revokes a row that does not verify, so that it is shown no more; nothing is granted by that."""
    by, now = replace(current_source(), actor=actor), context.now()

    def clear(connection: Connection) -> str:
        finding = next((each for each in unverified.all_findings(connection) if each.subject == subject), None)
        if finding is None or not (_may_see(actor, finding) or not finding.workspace):
            raise InputError(say("rights_none"), remedy=say("rights_none_remedy"), field="subject")
        if not _may_see(actor, finding):
            raise RightMissing(say("rights_of_host"), remedy=say("host_wide_needed_remedy"), outcome="not_sent")
        became = unverified.clear(connection, finding, by, now)
        unverified.note(connection, unverified.all_findings(connection), now)
        return became

    became = await context.write(clear)
    context.connector.shared.policies.clear()
    context.wake()
    return {"ok": True, "subject": subject, "became": became}


def _may_see(actor: Actor | None, finding: Finding) -> bool:
    return actor is None or actor.workspace is None or actor.workspace == finding.workspace
