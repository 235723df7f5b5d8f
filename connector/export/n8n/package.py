"""Puts the n8n package together: forms and pack from the manifests, the core, and the adapter between it and n8n."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from connector.core.manifest.model import Action, Manifest, Trigger
from connector.core.messages import say
from connector.export import icon
from connector.export.n8n import files, forms, nodes, operations
from connector.export.n8n.dropdowns import Dropdowns
from connector.export.n8n.files import FILE
from connector.export.n8n.install_file import install_file
from connector.export.n8n.wording import word
from connector.export.node import sources
from connector.export.node.contents import AREAS, contents_of
from connector.export.node.npm_package import licence
from connector.export.node.pack import pack
from connector.export.shape import Dropped, Export, ExportOptions
from connector.runtime.connector import Connector

PLATFORM = "n8n"
QUELLE = "n8n"
"""The label under which the service sees calls from this platform."""
HOME = "nodes/Kontor"


def build(connector: Connector, options: ExportOptions) -> Export:
    """The whole package, for whoever builds it."""
    return _built(connector, options)[0]


def build_to_install(connector: Connector, options: ExportOptions) -> tuple[str, bytes]:
    """The package as n8n installs it: the name of the file, and its bytes."""
    export, scripts = _built(connector, options)
    return FILE, install_file(export, scripts, options.via)


def _built(connector: Connector, options: ExportOptions) -> tuple[Export, dict[str, str]]:
    """The package, and the JavaScript that was written for it."""
    contents = contents_of(connector, options)
    actions, triggers, dropped = contents.actions, contents.triggers, [*contents.dropped]
    dropdowns = Dropdowns(frozenset(one.id for one in contents.lookups))
    written = _nodes(actions, triggers, options, dropdowns)
    unused = say("export_unused")
    dropped += [Dropped("lookup", one.id, unused) for one in contents.lookups if one.id not in dropdowns.used]
    contents = replace(contents, lookups=tuple(one for one in contents.lookups if one.id in dropdowns.used))
    about = connector.about["description"][options.lang].strip()
    found = {
        **files.build_files(about, options.publisher),
        "tsconfig.json": files.tsconfig(),
        "eslint.config.mjs": files.eslint_config(),
        "LICENSE": licence(),
        "README.md": files.readme(about, actions, triggers, dropped, options),
        "credentials/KontorApi.credentials.ts": nodes.credential(options).encode(),
        **{
            f"nodes/{node}/{node}.node.json": files.codex(node, [*actions, *triggers], options.publisher.homepage)
            for node in files.NODES
        },
        **{f"{folder}/kontor.svg": icon.svg() for folder in _icon_folders()},
        **{f"{folder}/kontor.dark.svg": icon.svg(on_dark=True) for folder in _icon_folders()},
        **{name: text.encode() for name, text in written.items()},
        **{
            f"{HOME}/{name}": text.encode()
            for name, text in _engine(connector, contents.all, options, dropdowns).items()
        },
    }
    scripts = {
        "credentials/KontorApi.credentials.js": nodes.credential(options, nodes.JAVASCRIPT),
        **_nodes(actions, triggers, options, dropdowns, nodes.JAVASCRIPT),
        **{f"{HOME}/{name}.js": nodes.as_javascript(found[f"{HOME}/{name}.ts"].decode()) for name in ("pack", "code")},
    }
    return Export(PLATFORM, dict(sorted(found.items())), contents.ids, tuple(dropped)), scripts


def _nodes(
    actions: Sequence[Action],
    triggers: Sequence[Trigger],
    options: ExportOptions,
    dropdowns: Dropdowns,
    written: str = nodes.TYPESCRIPT,
) -> dict[str, str]:
    lang, resources = options.lang, operations.resources(actions)
    areas = [area for area in AREAS if any(one.area == area for one in resources)]
    described = {
        area: [
            parameter
            for one in resources
            if one.area == area
            for parameter in operations.operations(one, options, dropdowns)
        ]
        for area in areas
    }
    polls = forms.triggers([one for one in triggers if one.source == "poll"], options, dropdowns)
    events = forms.events([one for one in triggers if one.source == "event"], options, dropdowns)
    typed = written == nodes.TYPESCRIPT
    ending, of_area = ("ts", nodes.parameters) if typed else ("js", _untyped_parameters)
    return {
        f"{HOME}/Kontor.node.{ending}": nodes.action_node(operations.chooser(resources, lang), areas, lang, written),
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
