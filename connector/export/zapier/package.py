"""Builds the Zapier package: the app as data, the pack, and the modules that work with them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from connector.core.manifest.model import Action, ActionId, Manifest
from connector.export import icon
from connector.export.node import npm_lock
from connector.export.node.compile import modules
from connector.export.node.pack import pack
from connector.export.shape import Dropped, Export, ExportOptions
from connector.export.zapier import actions, pairs, triggers
from connector.export.zapier.account import authentication
from connector.export.zapier.dropdowns import Dropdowns
from connector.export.zapier.forms import Forms
from connector.export.zapier.readme import readme
from connector.export.zapier.rules import APP, PACK, lint
from connector.runtime.connector import Connector
from connector.version import __version__

PLATFORM = "zapier"
LOCK = Path(__file__).with_name("npm-lock.json")
"""Zapier's platform, in the version that the package is made for and tried with, and all that it needs."""
THROTTLE = {"window": 900, "limit": 180, "key": "kontor", "scope": ["auth"]}
"""All steps of one account together stay under the service's 200 requests in 15 minutes, with room for others."""
ICON_SIZE = 256
WITH_FORMS = ("actions", "triggers")
ASSEMBLY = "adapter/app.js"
STEPS = {"service": "adapter/service.js", "host": "adapter/host.js"}


def build(connector: Connector, options: ExportOptions) -> Export:
    """The package for these options."""
    dropdowns = Dropdowns(connector, options.lang)
    forms = Forms(dropdowns, options, connector.library)
    dropped: list[Dropped] = []
    creates: dict[str, Any] = {}
    searches: dict[str, Any] = {}
    shown: dict[str, Any] = {}
    for action in connector.actions.values():
        (creates if action.writes else searches)[action.id], lost = actions.operation(action, forms, options)
        dropped += lost
    for trigger in connector.triggers.values():
        one, lost = triggers.operation(trigger, forms, options)
        if one is not None:
            shown[trigger.id] = one
        dropped += lost
    paired, unpaired = pairs.pairs(connector.actions.values(), options.lang)
    dropped += unpaired
    dropdowns.add_unused()
    dropped += forms.dropped
    held = [connector.trigger(id) for id in shown]
    app = {
        "version": __version__,
        "authentication": authentication(connector, options),
        "flags": {"cleanInputData": False},
        **({"throttle": THROTTLE} if options.via == "service" else {}),
        "triggers": {**shown, **dropdowns.triggers},
        "searches": searches,
        "creates": creates,
        **({"searchOrCreates": paired} if paired else {}),
    }
    groups: dict[str, list[Manifest]] = {
        "Actions": [connector.action(id) for id in creates],
        "Searches": [connector.action(id) for id in searches],
        "Triggers": [*held],
    }
    about = connector.about["description"]["en"]
    export = Export(
        platform=PLATFORM,
        files={
            APP: _json(app),
            **_code(connector, options, [one for group in groups.values() for one in group]),
            **_package(about, options),
            "README.md": readme(options, groups, dropped, about, _cli()),
            "icon.png": icon.png(ICON_SIZE),
        },
        holds={
            "actions": frozenset({*creates, *searches}),
            "lookups": frozenset(dropdowns.held),
            "triggers": frozenset(shown),
            "pairs": frozenset(one["create"] for one in paired.values()),
        },
        dropped=tuple(dropped),
    )
    return replace(export, findings=tuple(lint(export)))


def _code(connector: Connector, options: ExportOptions, held: list[Manifest]) -> dict[str, bytes]:
    """The modules, the pack that they work from, and the index that puts both together."""
    own = [] if options.via == "host" else [one for one in held if isinstance(one, Action) and one.code]
    handlers = {one.id: f"actions/{one.area}/{one.id}.js" for one in own}
    found = modules(ASSEMBLY, STEPS[options.via], *handlers.values())
    packed = pack(connector, [*held, *connector.lookups.values()], options, PLATFORM, found.values())
    if options.via == "host":  # it does the rest
        forms = {kind: {id: _form(one) for id, one in packed[kind].items()} for kind in WITH_FORMS}
        packed = {**{name: packed[name] for name in ("lang", "quelle", "messages")}, **forms}
    return {
        **{name: text.encode() for name, text in found.items()},
        PACK: _json(packed),
        "index.js": _index(options.via, handlers).encode(),
    }


def _form(packed: dict[str, Any]) -> dict[str, Any]:
    return {name: packed[name] for name in ("inputs", "writes") if name in packed}


def _index(via: str, handlers: dict[ActionId, str]) -> str:
    names = {id: _camel(id) for id in handlers}
    code = "".join(f"{id}: {name}, " for id, name in names.items())
    steps = f"{via}(pack, {{ actions: {{ {code}}} }})" if names else f"{via}(pack)"
    return "\n".join(
        [
            "import zapier from 'zapier-platform-core';",
            f"import app from './{APP}' with {{ type: 'json' }};",
            f"import pack from './{PACK}' with {{ type: 'json' }};",
            *(f"import {{ {names[id]} }} from './{path}';" for id, path in handlers.items()),
            f"import {{ assemble }} from './{ASSEMBLY}';",
            f"import {{ {via} }} from './{STEPS[via]}';",
            "",
            f"export default assemble(app, {steps}, zapier.version);",
            "",
        ]
    )


def _camel(id: str) -> str:
    first, *rest = id.split("_")
    return first + "".join(word.capitalize() for word in rest)


def install_words() -> dict[str, str]:
    """What the steps to install it name."""
    return {"cli": _cli()}


def _cli() -> str:
    """Zapier's tool of the release that the package is made for; npx fetches it."""
    return f"zapier-platform-cli@{npm_lock.read(LOCK)['dependencies']['zapier-platform-core']}"


def _package(description: str, options: ExportOptions) -> dict[str, bytes]:
    """What npm reads: the package.json, and the lock of all packages that the app runs with."""
    lock = npm_lock.read(LOCK)
    described = {
        "name": "kontor-zapier",
        "version": __version__,
        "description": description,
        "license": options.publisher.licence,
        "private": True,
        "type": "module",
        "exports": "./index.js",
        "engines": {"node": ">=22"},
        "dependencies": lock["dependencies"],
    }
    return {"package.json": _json(described), "package-lock.json": _json(npm_lock.package_lock(described, lock))}


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
