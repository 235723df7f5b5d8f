"""Builds the Zapier package: one JSON app, a three-line index, and what belongs beside them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from connector.core.manifest.model import Manifest
from connector.core.messages import say
from connector.core.wire import BODIES, Wire
from connector.export import icon
from connector.export.shape import Dropped, Export, ExportOptions
from connector.export.zapier import actions, triggers
from connector.export.zapier.dropdowns import Dropdowns
from connector.export.zapier.forms import Forms
from connector.export.zapier.readme import readme
from connector.export.zapier.rules import lint
from connector.export.zapier.signing_in import authentication, constants, middleware
from connector.runtime.connector import Connector
from connector.version import __version__

PLATFORM = "zapier"
APP = "kontor-app.json"
CORE = "19.1.0"
"""The version of Zapier's platform that the package is made for and tried with."""
THROTTLE = {"window": 900, "limit": 180, "key": "kontor", "scope": ["auth"]}
"""All steps of one account together stay under the service's 200 requests in 15 minutes, with room for others."""
ICON_SIZE = 256
INDEX = f"""const app = require('./{APP}');
const {{ version: platformVersion }} = require('zapier-platform-core');
module.exports = {{ ...app, platformVersion }};
"""


def build(connector: Connector, options: ExportOptions) -> Export:
    """The package for these options."""
    names = constants(options, connector.about["test"]["path"])
    dropdowns = Dropdowns(connector, options, names)
    forms = Forms(dropdowns, options.lang)
    dropped: list[Dropped] = []
    creates: dict[str, Any] = {}
    searches: dict[str, Any] = {}
    shown: dict[str, Any] = {}
    for action in connector.actions.values():
        made, lost = actions.operation(action, forms, options, names)
        (creates if action.writes else searches)[action.id] = made
        dropped += [*lost, *_absent(action, options.wire)]
    for trigger in connector.triggers.values():
        one, lost = triggers.operation(trigger, forms, options, names)
        if one is not None:
            shown[trigger.id] = one
        dropped += lost
    dropdowns.add_unused()
    dropped += forms.dropped
    app = {
        "version": __version__,
        "authentication": authentication(options, names),
        **middleware(options, names),
        # Zapier would throw away the time at which a request may be sent again.
        "flags": {"throwForThrottlingEarly": False, "cleanInputData": False},
        **({"throttle": THROTTLE} if options.via == "service" else {}),
        "triggers": {**shown, **dropdowns.triggers},
        "searches": searches,
        "creates": creates,
    }
    held = [connector.trigger(id) for id in shown]
    export = Export(
        platform=PLATFORM,
        files={
            APP: _json(app),
            "index.js": INDEX.encode(),
            "package.json": _json(_package(connector.about["description"]["en"])),
            "README.md": readme(
                options,
                {
                    "Actions": [connector.action(id) for id in creates],
                    "Searches": [connector.action(id) for id in searches],
                    "Triggers": held,
                },
                dropped,
                connector.about["description"]["en"],
            ),
            "icon.png": icon.png(ICON_SIZE),
        },
        holds={
            "actions": frozenset({*creates, *searches}),
            "lookups": frozenset(dropdowns.held),
            "triggers": frozenset(shown),
        },
        dropped=tuple(dropped),
    )
    return replace(export, findings=tuple(lint(export)))


def _absent(manifest: Manifest, wire: Wire) -> list[Dropped]:
    """Inputs whose parameter this service does not have."""
    return [
        Dropped("field", f"{manifest.id}.{field.name}", say("dropped_no_parameter"))
        for field in manifest.inputs
        if field.wire and (wire[field.wire].get(field.name) if field.wire in BODIES else wire[field.wire]) is None
    ]


def _package(description: str) -> dict[str, Any]:
    return {
        "name": "kontor-zapier",
        "version": __version__,
        "description": description,
        "license": "MIT",
        "private": True,
        "main": "index.js",
        "engines": {"node": ">=22"},
        "dependencies": {"zapier-platform-core": CORE},
    }


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()
