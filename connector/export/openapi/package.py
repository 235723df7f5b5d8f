"""Builds the OpenAPI package: the document, a README, the icon, and a report of what a document cannot say."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from connector.core.manifest.model import Action, Lookup, Trigger
from connector.core.messages import Text, say
from connector.core.service.wire import CHOICES
from connector.export import icon
from connector.export.openapi import per_manifest, service
from connector.export.openapi.rules import FILE, OLDER_FILE, lint
from connector.export.openapi.version_3_0 import VERSION, as_3_0
from connector.export.service_request import is_free_call, service_request
from connector.export.shape import Dropped, Export, ExportOptions
from connector.export.unexpressed import absent, notes_on_writes, one_per_address, unchecked, without_duplicating
from connector.runtime.connector import Connector
from connector.version import __version__

PLATFORM = "openapi"


def build(connector: Connector, options: ExportOptions) -> Export:
    """The package for these options."""
    of_host = options.via == "host"
    tree = per_manifest.document(connector, options.host_url) if of_host else service.document(connector, options)
    holds, dropped = (_all(connector), []) if of_host else _described(connector, options)
    notes = notes_on_writes(connector, options)
    export = Export(
        platform=PLATFORM,
        files={
            FILE: _written(tree),
            OLDER_FILE: _written(as_3_0(tree)),
            "README.md": _readme(options, tree, dropped, notes),
            "icon.svg": icon.svg(),
        },
        holds=holds,
        dropped=tuple(dropped),
        notes=notes,
    )
    return replace(export, findings=tuple(lint(export)))


def _written(tree: dict[str, Any]) -> bytes:
    return (json.dumps(tree, ensure_ascii=False, indent=2) + "\n").encode()


def _all(connector: Connector) -> dict[str, frozenset[str]]:
    return {kind: frozenset(getattr(connector, kind)) for kind in ("actions", "lookups", "triggers")}


def _described(connector: Connector, options: ExportOptions) -> tuple[dict[str, frozenset[str]], list[Dropped]]:
    """What the service's document holds: calls under their paths, events among the webhooks."""
    offered, writes = without_duplicating(connector.actions.values(), options)
    actions, dropped = one_per_address(offered, options.wire)
    dropped += [left_out for left_out in writes if left_out.kind == "action"]

    def held(manifests: Iterable[Action | Lookup | Trigger]) -> frozenset[str]:
        ids = set()
        for manifest in manifests:
            event = (
                isinstance(manifest, Trigger)
                and manifest.source == "event"
                and set(manifest.events) <= set(connector.library.events)
            )
            if event or service_request(manifest, options.wire) is not None:
                ids.add(manifest.id)
                if isinstance(manifest, Action):
                    dropped.extend((*unchecked(manifest), *absent(manifest, options.wire)))
            else:
                dropped.append(_left_out(manifest, options.lang))
        return frozenset(ids)

    holds = {
        "actions": held(actions),
        "lookups": held(connector.lookups.values()),
        "triggers": held(connector.triggers.values()),
    }
    return holds, dropped


def _left_out(manifest: Action | Lookup | Trigger, lang: str) -> Dropped:
    reason = say("left_out_any_path" if is_free_call(manifest) else "left_out_local")
    if isinstance(manifest, Action):
        return Dropped("action", manifest.id, reason)
    return Dropped("lookup" if isinstance(manifest, Lookup) else "trigger", manifest.id, reason)


def _readme(options: ExportOptions, tree: dict[str, Any], dropped: list[Dropped], notes: tuple[Text, ...]) -> bytes:
    what = "the service as Kontor understands it" if options.via == "service" else "a Kontor host"
    lines = [
        "# OpenAPI",
        "",
        *(line for note in notes for text in note for line in (f"> {text}", "")),
        f"`{FILE}` describes {what}, in OpenAPI {tree['openapi']}. Made by Kontor {__version__}.",
        f"`{OLDER_FILE}` says the same in OpenAPI {VERSION}, for importers that read nothing newer.",
        "",
        "Generate a client from it, or import it wherever OpenAPI is read. Amounts are JSON numbers: let your client",
        "read them as decimals. Ids are texts: never make numbers of them. With `openapi-typescript`, say",
        "`--default-non-nullable=false`: what has a default may be left out.",
        "",
    ]
    if options.via == "service":
        names = [name for name in options.wire.names.values() if not name.overridden and name.key not in CHOICES]
        lines += [
            "## Assumed names",
            "",
            "The service does not show these; the document marks each with `x-assumed`.",
            "",
        ]
        lines += [f"- `{name.key}`: `{_shown(name.value)}`, because {name.because}" for name in names] or ["- none"]
        lines += [""]
    lines += [
        "## Not in the document",
        "",
        *([f"- `{one.id}`: {one.reason.en}" for one in dropped] or ["- nothing"]),
        "",
    ]
    return "\n".join(lines).encode()


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
