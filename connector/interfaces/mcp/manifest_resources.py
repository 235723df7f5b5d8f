"""The manifests as MCP resources."""

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
MAX_COMPLETIONS = 100


def resources(connector: Connector, lang: str) -> list[Resource]:
    """List the connector and one resource per manifest."""
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
        for manifest in _manifests(connector, kind).values()
    ]
    return [first, *rest]


def templates() -> list[ResourceTemplate]:
    """List one resource template per kind."""
    return [ResourceTemplate(uri_template=f"{SCHEME}{kind}/{{id}}", name=kind, mime_type=MIME) for kind in KINDS]


def read(connector: Connector, uri: str) -> ReadResourceResult | None:
    """Return the manifest at a URI, or None."""
    kind, _, id = uri.removeprefix(SCHEME).partition("/")
    tree: Any = None
    if uri == ABOUT:
        tree = connector.about
    elif uri.startswith(SCHEME) and kind in KINDS and id in _manifests(connector, kind):
        tree = _manifests(connector, kind)[id].raw
    if tree is None:
        return None
    return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=MIME, text=json.encode(tree).decode())])


def completions(connector: Connector, template: str, prefix: str) -> list[str]:
    """Return the ids that start with `prefix`."""
    kind = template.removeprefix(SCHEME).partition("/")[0]
    return (
        [id for id in _manifests(connector, kind) if id.startswith(prefix)][:MAX_COMPLETIONS] if kind in KINDS else []
    )


def _manifests(connector: Connector, kind: str) -> Mapping[str, Manifest]:
    match kind:
        case "actions":
            return connector.actions
        case "lookups":
            return connector.lookups
        case _:
            return connector.triggers
