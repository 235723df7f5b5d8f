"""Puts the Make app together: its index, its files, and the report of what Make cannot express."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from connector.core.manifest.files import AREAS
from connector.core.manifest.model import Action, Trigger
from connector.core.messages import say
from connector.export import icon
from connector.export.make import connection
from connector.export.make.lint import lint
from connector.export.make.modules import PLATFORM, Component, action_module
from connector.export.make.names import CONNECTION, module_id
from connector.export.make.readme import readme
from connector.export.make.rpcs import rpc
from connector.export.make.triggers import trigger_components
from connector.export.service_request import is_free_call
from connector.export.shape import Dropped, Export, ExportOptions
from connector.export.unexpressed import notes_on_writes, unverified, without_duplicating, without_picks
from connector.runtime.connector import Connector

FOLDERS = {"module": "modules", "rpc": "rpcs", "webhook": "webhooks", "connection": "connections"}
FILE_NAMES = {
    "communication": "communication",
    "staticParams": "static-params",
    "mappableParams": "mappable-params",
    "interface": "interface",
    "samples": "samples",
    "epoch": "epoch",
    "scope": "scope",
    "params": "params",
    "attach": "attach",
    "detach": "detach",
    "update": "update",
    "requiredScope": "required-scope",
}
ICON_SIZE = 512


def build(connector: Connector, options: ExportOptions) -> Export:
    """The app as files in local-development layout."""
    components: list[Component] = [_connection(connector, options)]
    dropped: list[Dropped] = []
    triggers: set[str] = set()
    for lookup in connector.lookups.values():
        components.append(rpc(lookup, options))
    actions, local = _sending(connector, options)
    dropped += local
    for action in actions:
        components.append(action_module(action, connector.library, options))
    for trigger in connector.triggers.values():
        made = trigger_components(trigger, connector, options)
        components += made.components
        dropped += made.dropped
        if made.components:
            triggers.add(trigger.id)
    dropped += [one for component in components for one in component.dropped]
    dropped += [unverified(PLATFORM)] if options.via == "host" else []
    groups = _groups([*actions, *(connector.trigger(id) for id in sorted(triggers))], options.lang)
    notes = notes_on_writes(connector, options)
    files = {
        "makecomapp.json": _json(_index(components)),
        "general/base.iml.json": _json(connection.base(options)),
        "general/common.json": _json({}),
        "modules/groups.json": _json(groups),
        "README.md": readme(connector, options, actions, triggers, dropped, notes).encode(),
        "assets/icon.png": icon.png(ICON_SIZE),
    }
    for component in components:
        files |= {_path(component, code): _json(content) for code, content in component.code.items()}
    export = Export(
        platform="make",
        files=dict(sorted(files.items())),
        holds={
            "actions": frozenset(action.id for action in actions),
            "lookups": frozenset(connector.lookups),
            "triggers": frozenset(triggers),
        },
        dropped=tuple(dropped),
        notes=notes,
    )
    return replace(export, findings=lint(export))


def _sending(connector: Connector, options: ExportOptions) -> tuple[list[Action], list[Dropped]]:
    """The actions that Make can do, and those that only Kontor computes."""
    if options.via == "host":
        return list(connector.actions.values()), []
    local = [one for one in connector.actions.values() if one.request is None and not is_free_call(one)]
    reason = say("left_out_local")
    sent, writes = without_duplicating((one for one in connector.actions.values() if one not in local), options)
    kept, picking = without_picks(sent)
    return kept, [*writes, *(Dropped("action", action.id, reason) for action in local), *picking]


def _connection(connector: Connector, options: ExportOptions) -> Component:
    code = {
        "communication": connection.communication(connector, options),
        "params": connection.parameters(options),
    }
    entry = {"label": connector.about["title"][options.lang], "connectionType": "basic"}
    return Component("connection", CONNECTION, entry, code)


def _index(components: list[Component]) -> dict[str, Any]:
    index: dict[str, dict[str, Any]] = {
        kind: {} for kind in ("connection", "webhook", "module", "rpc", "function", "endpoint")
    }
    for component in components:
        files = {code: _path(component, code) for code in component.code}
        index[component.kind][component.id] = {**component.entry, "codeFiles": files}
    return {
        "fileVersion": 1,
        "generalCodeFiles": {
            "base": "general/base.iml.json",
            "common": "general/common.json",
            "readme": "README.md",
            "groups": "modules/groups.json",
        },
        "components": index,
        "origins": [],
    }


def _groups(manifests: list[Action | Trigger], lang: str) -> list[dict[str, Any]]:
    grouped = {area: [module_id(one) for one in manifests if one.area == area] for area in AREAS}
    return [{"label": say(f"area_{area}").in_(lang), "modules": ids} for area, ids in grouped.items() if ids]


def _path(component: Component, code: str) -> str:
    return f"{FOLDERS[component.kind]}/{component.id}/{component.id}.{FILE_NAMES[code]}.iml.json"


def _json(content: Any) -> bytes:
    return (json.dumps(content, ensure_ascii=False, indent=2) + "\n").encode()
