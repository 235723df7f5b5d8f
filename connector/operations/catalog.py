"""What a host offers: the connector, its actions, lookups and triggers; nothing is asked of the service."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar

from pydantic import Field

from connector.core.callers import Actor
from connector.core.errors import InputError, NotFound
from connector.core.manifest.model import Manifest
from connector.durable.context import JobContext
from connector.operations.operation import LEFT_OUT, Access, Answer, Count, Document, Free, Ok, ok, operation
from connector.version import __version__

M = TypeVar("M", bound=Manifest)
SUMMARY_KEYS = (
    *("id", "area", "title", "description", "effect", "repeat", "source", "events"),
    *("cost", "duration", "interval", "ttl", "aliases", "deprecated"),
)
"""What a list shows of a manifest."""
MANIFEST_SHOWN = ok("ManifestAnswer", manifest=Free)


class InBothLanguages(Answer):
    """The same in English and German."""

    en: str
    de: str


class Summary(Answer):
    """What a list shows of an action, a lookup or a trigger."""

    id: str
    area: str
    title: InBothLanguages
    description: InBothLanguages
    cost: Free
    required: list[str]
    effect: str = LEFT_OUT
    repeat: str = LEFT_OUT
    source: str = LEFT_OUT
    events: list[str] = LEFT_OUT
    aliases: list[str] = LEFT_OUT
    duration: Free = LEFT_OUT
    interval: Free = LEFT_OUT
    ttl: Count = LEFT_OUT
    deprecated: Any = LEFT_OUT


class ConnectorAnswer(Ok):
    """The connector, and the ids of its manifests."""

    id: str
    title: InBothLanguages
    description: InBothLanguages
    version: str
    callbacks: Annotated[bool, Field(description="Whether a run may carry a callback_url.")]
    sandbox: bool
    public_url: str
    actions: list[str]
    lookups: list[str]
    triggers: list[str]


def find_manifest(find: Callable[[str], M], id: str) -> M:
    """Return the manifest with this id; raise NotFound instead of an input error."""
    try:
        return find(id)
    except InputError as error:
        raise NotFound(error.message, remedy=error.remedy, field=error.field, outcome="not_sent") from None


@operation("GET /v1/connector", "viewer", ConnectorAnswer)
async def describe_connector(context: JobContext, actor: Actor | None, access: Access) -> Document:
    """What this host is."""
    connector = context.connector
    return {
        "ok": True,
        **{name: connector.about[name] for name in ("id", "title", "description")},
        "version": __version__,
        "callbacks": True,
        "sandbox": access.sandboxed,
        "public_url": context.public_url or "",
        "actions": list(connector.actions),
        "lookups": list(connector.lookups),
        "triggers": list(connector.triggers),
    }


@operation("GET /v1/actions", "viewer", ok("ActionList", actions=list[Summary]))
async def list_actions(context: JobContext, actor: Actor | None) -> Document:
    """All actions."""
    return {"ok": True, "actions": _summaries(context.connector.actions.values())}


@operation("GET /v1/lookups", "viewer", ok("LookupList", lookups=list[Summary]))
async def list_lookups(context: JobContext, actor: Actor | None) -> Document:
    """All lookups."""
    return {"ok": True, "lookups": _summaries(context.connector.lookups.values())}


@operation("GET /v1/triggers", "viewer", ok("TriggerList", triggers=list[Summary]))
async def list_triggers(context: JobContext, actor: Actor | None) -> Document:
    """All triggers."""
    return {"ok": True, "triggers": _summaries(context.connector.triggers.values())}


@operation("GET /v1/actions/{id}", "viewer", MANIFEST_SHOWN)
async def show_action(context: JobContext, actor: Actor | None, id: str) -> Document:
    """One action, whole."""
    return {"ok": True, "manifest": find_manifest(context.connector.action, id).raw}


@operation("GET /v1/triggers/{id}", "viewer", MANIFEST_SHOWN)
async def show_trigger(context: JobContext, actor: Actor | None, id: str) -> Document:
    """One trigger, whole."""
    return {"ok": True, "manifest": find_manifest(context.connector.trigger, id).raw}


@operation("GET /v1/triggers/{id}/sample", "viewer", ok("SampleAnswer", items=list[Free]))
async def show_sample(context: JobContext, actor: Actor | None, id: str) -> Document:
    """What a trigger gives a flow."""
    sample = find_manifest(context.connector.trigger, id).sample
    return {"ok": True, "items": sample if isinstance(sample, list) else [sample]}


def _summaries(manifests: Iterable[Manifest]) -> list[Document]:
    return [
        {
            **{name: manifest.raw[name] for name in SUMMARY_KEYS if name in manifest.raw},
            "required": [field.name for field in manifest.inputs if field.required],
        }
        for manifest in manifests
    ]
