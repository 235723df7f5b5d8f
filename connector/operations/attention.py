"""What needs a person, for every face: the same list that the console shows and that alerts are sent from."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema
from sqlalchemy import Connection

from connector.core.callers import ROLES, Actor
from connector.core.errors import KeyRefused
from connector.core.messages import say
from connector.durable.context import JobContext
from connector.durable.upkeep.attention import AREAS, KINDS, AttentionItem, attention_items, count_by_area
from connector.durable.upkeep.bank_checks import ask_soon, seen_lately
from connector.durable.upkeep.housekeeping import note_unverified
from connector.operations.catalog import InBothLanguages
from connector.operations.operation import Access, Answer, Count, Document, Workspace, ok, operation
from connector.operations.people import named_workspace
from connector.runtime.doctor import Finding
from connector.store.trust import credentials

TOPIC = "attention"
"""Of the doctor's findings that tell of it."""
KindName = Annotated[str, WithJsonSchema({"enum": list(KINDS)})]
AreaName = Annotated[str, WithJsonSchema({"enum": list(AREAS)})]
RoleName = Annotated[str, WithJsonSchema({"enum": list(ROLES)})]


class NeedsPerson(Answer):
    """Something that a person should know of until it is over."""

    kind: KindName
    area: Annotated[AreaName, Field(description="Whom it concerns: who builds flows, decides, or operates the host.")]
    subject: Annotated[str, Field(description="The id of what it is about.")]
    since: datetime | None
    message: InBothLanguages
    remedy: InBothLanguages
    role: Annotated[RoleName, Field(description="The role that can mend it.")]
    place: Annotated[str, Field(description="The page of the console where it is mended.")]
    url: Annotated[str | None, Field(description="The address of that page, where the host's own is known.")]
    reconnect_url: Annotated[str | None, Field(description="Where it is mended at the service itself.")]
    said: Annotated[str | None, Field(description="What the service or a bank says of it, in its own words.")]


class AttentionCounts(Answer):
    """How many items concern each area."""

    build: Count
    decide: Count
    operate: Count


ATTENTION = ok("Attention", workspace=str, items=list[NeedsPerson], counts=AttentionCounts)


@operation("GET /v1/attention", "viewer", ATTENTION)
async def show_attention(
    context: JobContext, actor: Actor | None, access: Access, workspace: Workspace = None
) -> Document:
    """What needs a person, the most urgent first.

    It is read from what is stored. A host then asks the service, at no cost, for bank connections that it has not seen
    for a while.
    """
    home = await named_workspace(context, actor, workspace or await _key_workspace(actor, access))
    items = await context.read(lambda connection: read_items(connection, context, home))
    if any(item.kind == "rights_altered" and item.since is None for item in items):
        await note_unverified(context)
        items = await context.read(lambda connection: read_items(connection, context, home))
    if actor is None or actor.may("operator"):
        await look_at_banks(context, home)
    return {
        "ok": True,
        "workspace": home,
        "items": [as_document(item, context.public_url) for item in items],
        "counts": count_by_area(items),
    }


def read_items(connection: Connection, context: JobContext, workspace: str) -> list[AttentionItem]:
    """Return what needs a person now."""
    return attention_items(connection, context.connector, workspace, context.now())


async def _key_workspace(actor: Actor | None, access: Access) -> str | None:
    """Return the workspace of the API key that a token of the whole host presents; None where there is none."""
    if actor is None or actor.workspace is not None:
        return None
    with suppress(KeyRefused):
        return await access.workspace() or None
    return None


async def look_at_banks(context: JobContext, workspace: str, *, again: bool = False) -> None:
    """Let a host ask soon for bank connections and accounts that were not seen for a while; it costs nothing.

    With `again` it asks however short ago that was.
    """
    now = context.now()

    def unseen(connection: Connection) -> list[str]:
        usable = [
            credential.id for credential in credentials.listed(connection, workspace) if credential.revoked_at is None
        ]
        return [id for id in usable if again or not seen_lately(connection, id, now)]

    asked = await context.read(unseen)

    def ask(connection: Connection) -> None:
        for id in asked:
            ask_soon(connection, id, now)

    if asked:
        await context.write(ask)
        context.wake()


def findings_of(items: Sequence[AttentionItem]) -> list[Finding]:
    """Return the same as findings of the doctor; a single good one where nothing needs a person."""
    if not items:
        return [Finding(TOPIC, "ok", say("needs_none"))]
    return [Finding(TOPIC, "problem", item.message, item.remedy, details=as_document(item, None)) for item in items]


def as_document(item: AttentionItem, public_url: str | None) -> dict[str, Any]:
    """Return an item as the public interfaces show it."""
    return {
        "kind": item.kind,
        "area": item.area,
        "subject": item.subject,
        "since": item.since,
        "message": item.message.as_dict(),
        "remedy": item.remedy.as_dict(),
        "role": item.role,
        "place": item.place,
        "url": item.url(public_url),
        "reconnect_url": item.reconnect_url or None,
        "said": item.said or None,
    }
