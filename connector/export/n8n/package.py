"""Puts the n8n package together: forms and tables from the manifests, and the TypeScript that works with them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from connector.core.manifest.files import AREAS
from connector.core.manifest.model import Action, Lookup, Manifest, Trigger
from connector.core.messages import say
from connector.export import icon
from connector.export.n8n import files, forms, nodes, ports, tables
from connector.export.n8n.dropdowns import Dropdowns
from connector.export.shape import Dropped, Export, ExportOptions
from connector.runtime.connector import Connector

PLATFORM = "n8n"
ENGINE = "nodes/Kontor/engine"


def build(connector: Connector, options: ExportOptions) -> Export:
    """The whole package."""
    dropped: list[Dropped] = []
    actions = _held(connector.actions.values(), options, dropped)
    triggers = _held(connector.triggers.values(), options, dropped)
    lookups = _held(connector.lookups.values(), options, dropped)
    dropped += _unsendable([*actions, *triggers], options)
    dropdowns = Dropdowns(frozenset(one.id for one in lookups))
    written = _nodes(actions, triggers, options, dropdowns)
    dropped += [
        Dropped("lookup", one.id, say("dropped_unused_lookup")) for one in lookups if one.id not in dropdowns.used
    ]
    lookups = [one for one in lookups if one.id in dropdowns.used]
    about = connector.about["description"][options.lang].strip()
    titles = {
        "Operations": [one.title.in_(options.lang) for one in actions],
        "Triggers": [one.title.in_(options.lang) for one in triggers],
    }
    found = {
        "package.json": files.package_json(about),
        "tsconfig.json": files.tsconfig(),
        "eslint.config.mjs": files.eslint_config(),
        "LICENSE": files.licence(),
        "README.md": files.readme(about, titles, tuple(dropped), options),
        "credentials/KontorApi.credentials.ts": nodes.credential(connector.about["test"], options).encode(),
        **{f"nodes/{node}/{node}.node.json": files.codex(node) for node in files.NODES},
        **{f"{folder}/kontor.svg": icon.svg() for folder in _icon_folders()},
        **{f"{folder}/kontor.dark.svg": icon.svg(on_dark=True) for folder in _icon_folders()},
        **{name: text.encode() for name, text in written.items()},
        **_engine(actions, lookups, triggers, options, dropdowns),
    }
    holds = {
        "actions": frozenset(one.id for one in actions),
        "lookups": frozenset(one.id for one in lookups),
        "triggers": frozenset(one.id for one in triggers),
    }
    return Export(PLATFORM, dict(sorted(found.items())), holds, tuple(dropped))


def _held(manifests: Iterable[Any], options: ExportOptions, dropped: list[Dropped]) -> list[Any]:
    """The manifests that the package can carry, in order; what it cannot is added to `dropped`."""
    held = []
    for manifest in sorted(manifests, key=lambda one: (AREAS.index(one.area), one.id)):
        lost = ports.missing(manifest) if options.via == "service" else []
        dropped += lost
        if all(one.kind == "check" for one in lost):
            held.append(manifest)
    return held


def _unsendable(manifests: Iterable[Manifest], options: ExportOptions) -> list[Dropped]:
    reason = say("dropped_no_parameter")
    return [
        Dropped("field", f"{manifest.id}.{field.name}", reason)
        for manifest in manifests
        for field in manifest.inputs
        if not tables.sendable(field, options.wire)
    ]


def _nodes(
    actions: Sequence[Action], triggers: Sequence[Trigger], options: ExportOptions, dropdowns: Dropdowns
) -> dict[str, str]:
    areas = [area for area in AREAS if any(one.area == area for one in actions)]
    parts = {
        area: forms.operations(area, [one for one in actions if one.area == area], options, dropdowns) for area in areas
    }
    polls = [one for one in triggers if one.source == "poll"]
    events = [one for one in triggers if one.source == "event"]
    return {
        "nodes/Kontor/Kontor.node.ts": nodes.action_node(forms.resources(areas, options.lang), areas),
        **{f"nodes/Kontor/{area}Description.ts": nodes.parameters(area, found) for area, found in parts.items()},
        "nodes/KontorTrigger/KontorTrigger.node.ts": nodes.poll_node(
            [*forms.triggers(polls, options, dropdowns), *forms.start(options.lang)]
        ),
        "nodes/KontorEventTrigger/KontorEventTrigger.node.ts": nodes.event_node(
            _event_form(events, options, dropdowns)
        ),
    }


def _event_form(events: Sequence[Trigger], options: ExportOptions, dropdowns: Dropdowns) -> list[dict[str, Any]]:
    warning = forms.notice("n8n_shared_hub" if options.via == "host" else "n8n_one_url", options.lang)
    switch = [] if options.via == "host" else [forms.replace_switch(options.lang)]
    return [warning, *forms.triggers(events, options, dropdowns), *switch]


def _engine(
    actions: Sequence[Action],
    lookups: Sequence[Lookup],
    triggers: Sequence[Trigger],
    options: ExportOptions,
    dropdowns: Dropdowns,
) -> dict[str, bytes]:
    held: list[Manifest] = [*actions, *lookups, *triggers]
    sources = ports.sources(options.via)
    wanted = {ports.port_of(one) for one in held}
    kept = {
        name: text
        for name, text in sources.items()
        if name in wanted or not name.startswith(("actions/", "lookups/", "triggers/"))
    }
    rows = {
        kind: {one.id: tables.entry(one, options) for one in found}
        for kind, found in (("ACTIONS", actions), ("LOOKUPS", lookups), ("TRIGGERS", triggers))
    }
    ported = [one for one in held if ports.port_of(one) in kept]
    generated = {
        "tables.ts": nodes.tables(rows, dropdowns.methods, options),
        "sentences.ts": nodes.constant(
            "SENTENCES", "Record<string, string>", tables.sentences(kept.values(), options.lang)
        ),
    }
    if options.via == "service":
        generated["handlers.ts"] = nodes.handlers(ported)
        currencies = nodes.constant("CURRENCIES", "Array<[string, string, number]>", tables.currencies())
        generated["norms.ts"] = f"/** Code, name and decimals of every currency of ISO 4217. */\n{currencies}"
    return {f"{ENGINE}/{name}": text.encode() for name, text in {**kept, **generated}.items()}


def _icon_folders() -> list[str]:
    return ["credentials", *(f"nodes/{node}" for node in files.NODES)]
