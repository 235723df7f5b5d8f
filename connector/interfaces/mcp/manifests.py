"""The manifests as MCP resources: an agent can read what an action needs, costs and may answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp_types import ReadResourceResult, Resource, ResourceTemplate, TextResourceContents

from connector.core.manifest.model import Manifest
from connector.core.values import json
from connector.runtime.connector import Connector

SCHEME = "kontor://"
ABOUT = f"{SCHEME}connector"
KINDS = ("actions", "lookups", "triggers")
MIME = "application/json"
MOST_COMPLETIONS = 100


def resources(connector: Connector, lang: str) -> list[Resource]:
    """The connector itself, and one resource per manifest."""
    about = connector.about
    first = Resource(
        uri=ABOUT, name="connector", title=about["title"][lang], description=about["description"][lang], mime_type=MIME
    )
    rest = [
        Resource(
            uri=f"{SCHEME}{kind}/{manifest.id}",
            name=manifest.id,
            title=manifest.title.in_(lang),
            description=manifest.description.in_(lang),
            mime_type=MIME,
        )
        for kind in KINDS
        for manifest in _of(connector, kind).values()
    ]
    return [first, *rest]


def templates() -> list[ResourceTemplate]:
    """One template per kind, whose `id` is completed."""
    return [ResourceTemplate(uri_template=f"{SCHEME}{kind}/{{id}}", name=kind, mime_type=MIME) for kind in KINDS]


def read(connector: Connector, uri: str) -> ReadResourceResult | None:
    """The manifest at this address, or None."""
    kind, _, id = uri.removeprefix(SCHEME).partition("/")
    tree: Any = None
    if uri == ABOUT:
        tree = connector.about
    elif uri.startswith(SCHEME) and kind in KINDS and id in _of(connector, kind):
        tree = _of(connector, kind)[id].raw
    if tree is None:
        return None
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=MIME, text=json.encode(tree).decode())])


def completions(connector: Connector, template: str, begun: str) -> list[str]:
    """The ids that begin so."""
    kind = template.removeprefix(SCHEME).partition("/")[0]
    return [id for id in _of(connector, kind) if id.startswith(begun)][:MOST_COMPLETIONS] if kind in KINDS else []


def _of(connector: Connector, kind: str) -> Mapping[str, Manifest]:
    match kind:
        case "actions":
            return connector.actions
        case "lookups":
            return connector.lookups
        case _:
            return connector.triggers
