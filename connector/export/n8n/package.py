"""Puts the n8n package together: forms and pack from the manifests, the core, and the adapter between it and n8n."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from connector.core.manifest.model import Action, Lookup, Manifest, Trigger
from connector.core.messages import say
from connector.export import icon
from connector.export.n8n import files, forms, install_file, nodes, operations
from connector.export.n8n.dropdowns import Dropdowns
from connector.export.n8n.wording import word
from connector.export.node import sources
from connector.export.node.pack import pack, sendable
from connector.export.shape import Dropped, Export, ExportOptions
from connector.export.unexpressed import says_end
from connector.runtime.connector import Connector

PLATFORM = "n8n"
QUELLE = "n8n"
"""The label under which the service sees calls from this platform."""
HOME = "nodes/Kontor"
M = TypeVar("M", Action, Lookup, Trigger)


def build(connector: Connector, options: ExportOptions) -> Export:
    """The whole package, for whoever builds it."""
    return _built(connector, options)[0]


def build_to_install(connector: Connector, options: ExportOptions) -> tuple[str, bytes]:
    """The package as n8n installs it: the name of the file, and its bytes."""
    export, scripts = _built(connector, options)
    return install_file.NAME, install_file.install_file(export, scripts, options.via)


def _built(connector: Connector, options: ExportOptions) -> tuple[Export, dict[str, str]]:
    """The package, and the JavaScript that was written for it."""
    dropped: list[Dropped] = []
    actions = _held(connector.actions.values(), options, dropped)
    triggers = _held(connector.triggers.values(), options, dropped)
    lookups = _held(connector.lookups.values(), options, dropped)
    if options.via == "service":
        dropped += [Dropped("check", one.id, say("left_out_unknown_end")) for one in triggers if says_end(one)]
    dropped += _unsendable([*actions, *triggers], options)
    dropdowns = Dropdowns(frozenset(one.id for one in lookups))
    written = _nodes(actions, triggers, options, dropdowns)
    unused = say("export_unused")
    dropped += [Dropped("lookup", one.id, unused) for one in lookups if one.id not in dropdowns.used]
    lookups = [one for one in lookups if one.id in dropdowns.used]
    about = connector.about["description"][options.lang].strip()
    found = {
        **files.build_files(about),
        "tsconfig.json": files.tsconfig(),
        "eslint.config.mjs": files.eslint_config(),
        "LICENSE": files.licence(),
        "README.md": files.readme(about, actions, triggers, dropped, options),
        "credentials/KontorApi.credentials.ts": nodes.credential(connector.about["test"], options).encode(),
        **{f"nodes/{node}/{node}.node.json": files.codex(node, [*actions, *triggers]) for node in files.NODES},
        **{f"{folder}/kontor.svg": icon.svg() for folder in _icon_folders()},
        **{f"{folder}/kontor.dark.svg": icon.svg(on_dark=True) for folder in _icon_folders()},
        **{name: text.encode() for name, text in written.items()},
        **{
            f"{HOME}/{name}": text.encode()
            for name, text in _engine(connector, [*actions, *lookups, *triggers], options, dropdowns).items()
        },
    }
    holds = {
        "actions": frozenset(one.id for one in actions),
        "lookups": frozenset(one.id for one in lookups),
        "triggers": frozenset(one.id for one in triggers),
    }
    scripts = {
        "credentials/KontorApi.credentials.js": nodes.credential(connector.about["test"], options, nodes.JAVASCRIPT),
        **_nodes(actions, triggers, options, dropdowns, nodes.JAVASCRIPT),
        **{f"{HOME}/{name}.js": nodes.as_javascript(found[f"{HOME}/{name}.ts"].decode()) for name in ("pack", "code")},
    }
    return Export(PLATFORM, dict(sorted(found.items())), holds, tuple(dropped)), scripts


def _held(manifests: Iterable[M], options: ExportOptions, dropped: list[Dropped]) -> list[M]:
    """The manifests that the package can carry, in order; what it cannot is added to `dropped`."""
    held = []
    for manifest in sorted(manifests, key=lambda one: (operations.AREAS.index(one.area), one.id)):
        why = _obstacle(manifest) if options.via == "service" else None
        if why is None:
            held.append(manifest)
        else:
            dropped.append(Dropped(manifest.kind, manifest.id, say(why)))  # type: ignore[arg-type]
    return held


def _obstacle(manifest: Manifest) -> str | None:
    """Why a package that talks to the service itself cannot carry it, by the name of the sentence."""
    if isinstance(manifest, Trigger) and (manifest.own or (manifest.source == "poll" and manifest.request is None)):
        return "export_host_only"
    return "export_no_code" if sources.lacks_code(manifest) else None


def _unsendable(manifests: Iterable[Manifest], options: ExportOptions) -> list[Dropped]:
    reason = say("export_unnamed")
    return [
        Dropped("field", f"{manifest.id}.{field.name}", reason)
        for manifest in manifests
        for field in manifest.inputs
        if not sendable(field, options.wire)
    ]


def _nodes(
    actions: Sequence[Action],
    triggers: Sequence[Trigger],
    options: ExportOptions,
    dropdowns: Dropdowns,
    written: str = nodes.TYPESCRIPT,
) -> dict[str, str]:
    lang, resources = options.lang, operations.resources(actions)
    areas = [area for area in operations.AREAS if any(one.area == area for one in resources)]
    described = {
        area: [
            operations.former_operations(area, [one for one in actions if one.area == area], lang),
            *(
                parameter
                for one in resources
                if one.area == area
                for parameter in operations.operations(one, options, dropdowns)
            ),
        ]
        for area in areas
    }
    polls = forms.triggers([one for one in triggers if one.source == "poll"], options, dropdowns)
    events = forms.events([one for one in triggers if one.source == "event"], options, dropdowns)
    typed = written == nodes.TYPESCRIPT
    ending, of_area = ("ts", nodes.parameters) if typed else ("js", _untyped_parameters)
    return {
        f"{HOME}/Kontor.node.{ending}": nodes.action_node(operations.choosers(resources, lang), areas, lang, written),
        **{f"{HOME}/{area}Description.{ending}": of_area(area, found) for area, found in described.items()},
        f"nodes/KontorTrigger/KontorTrigger.node.{ending}": nodes.trigger_node(
            "KontorTrigger", word("n8n_about_polls", lang), [*polls, *forms.start(lang)], written
        ),
        f"nodes/KontorEventTrigger/KontorEventTrigger.node.{ending}": nodes.trigger_node(
            "KontorEventTrigger", word("n8n_about_events", lang), events, written
        ),
    }


def _untyped_parameters(area: str, found: nodes.Parameters) -> str:
    return nodes.as_javascript(nodes.parameters(area, found))


def _engine(
    connector: Connector, held: Sequence[Manifest], options: ExportOptions, dropdowns: Dropdowns
) -> dict[str, str]:
    """The core, the code beside the manifests, the pack that both work from, and the adapter."""
    core, code, adapter = sources.core(), sources.code(held), nodes.adapter(options.via)
    spoken = [*core.values(), *code.values(), *adapter.values()]
    content = pack(connector, held, options, QUELLE, spoken)
    return {
        **{f"core/{path}": text for path, text in core.items()},
        **{f"code/{path}": text for path, text in code.items()},
        **{f"adapter/{name}": text for name, text in adapter.items()},
        "code.ts": nodes.code(code),
        "pack.ts": nodes.pack(content, dropdowns.methods),
    }


def _icon_folders() -> list[str]:
    return ["credentials", *(f"nodes/{node}" for node in files.NODES)]
