"""Builds the piece: `piece.json` says what there is, in English; the adapter and the core do it."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from connector.core.messages import Text, say
from connector.export import icon
from connector.export.activepieces.piece import action_spec, connection, is_once, trigger_spec
from connector.export.activepieces.properties import Properties
from connector.export.activepieces.translation import Translation
from connector.export.node import npm_lock
from connector.export.node.contents import contents_of
from connector.export.node.npm_package import document, left_out, licence, listed, origin, packed
from connector.export.node.runnable import runnable
from connector.export.shape import Dropped, Export, ExportOptions
from connector.runtime.connector import Connector
from connector.version import __version__

PLATFORM = "activepieces"
QUELLE = "activepieces"
"""The label under which the service sees calls from this platform."""
NAME = "@kontor/piece-kontor"
FILE = f"kontor-piece-kontor-{__version__}.tgz"
"""As `npm pack` calls it."""
LOCK = Path(__file__).with_name("npm-lock.json")
START = "activepieces/assemble.js"


def build(connector: Connector, options: ExportOptions) -> Export:
    """The piece for these options."""
    contents = contents_of(connector, options)
    translation = Translation()
    properties = Properties((one.id for one in contents.lookups), options, translation)
    piece = {
        "displayName": "Kontor",
        "description": translation.english(_about(connector)),
        "logoUrl": f"data:image/svg+xml;base64,{base64.b64encode(icon.svg()).decode()}",
        "authors": [options.publisher.author],
        "categories": ["ACCOUNTING"],
        "auth": connection(translation, options),
        "actions": [action_spec(one, connector, properties, translation) for one in contents.actions],
        "triggers": [trigger_spec(one, connector, properties, translation) for one in contents.triggers],
    }
    polls = [one for one in contents.triggers if one.source == "poll"]
    dropped = [*contents.dropped, *properties.dropped]
    dropped += [Dropped("check", one.id, say("activepieces_unconfirmed")) for one in polls]
    if options.via == "service":
        events = [one for one in contents.triggers if one.source == "event"]
        dropped += [Dropped("check", one.id, say("activepieces_answered")) for one in events]
    dropped += [Dropped("check", one.id, say("activepieces_loops")) for one in contents.actions if is_once(one)]
    run = {
        f"src/{name}": text
        for name, text in runnable(connector, contents, options, QUELLE, START, [options.lang]).items()
    }
    files = {
        **_papers(_about(connector).en, options),
        "LICENSE": licence(),
        "README.md": _readme(connector, contents.actions, contents.triggers, dropped, options),
        "src/index.js": _start(options).encode(),
        "src/piece.json": document(piece),
        "src/i18n/de.json": document(dict(sorted(translation.german.items()))),
        **run,
    }
    return Export(PLATFORM, dict(sorted(files.items())), contents.ids, tuple(dropped))


def build_to_install(connector: Connector, options: ExportOptions) -> tuple[str, bytes]:
    """The piece as Activepieces installs it: the name of the file, and its bytes."""
    return FILE, packed(build(connector, options).files)


def _papers(about: str, options: ExportOptions) -> dict[str, bytes]:
    """What npm reads: the package.json, and the lock of what the piece runs with."""
    lock = npm_lock.read(LOCK)
    described = {
        "name": NAME,
        "version": __version__,
        "description": about,
        **origin(options.publisher),
        "keywords": ["activepieces", "activepieces-piece"],
        "main": "./src/index.js",
        "dependencies": lock["dependencies"],
    }
    return {"package.json": document(described), "package-lock.json": document(npm_lock.package_lock(described, lock))}


def _start(options: ExportOptions) -> str:
    """The module that Activepieces loads."""
    return "\n".join(
        [
            "'use strict';",
            "",
            "const framework = require('@activepieces/pieces-framework');",
            f"const {{ assemble }} = require('./{START}');",
            "const { CODE: code } = require('./code.js');",
            "",
            f"const pack = require('./pack.{options.lang}.json');",
            "",
            f"exports.kontor = assemble(framework, require('./piece.json'), {{ pack, code, via: '{options.via}' }});",
            "",
        ]
    )


def _about(connector: Connector) -> Text:
    return Text(*(" ".join(connector.about["description"][lang].split()) for lang in ("en", "de")))


def _readme(connector: Connector, actions: Any, triggers: Any, dropped: list[Dropped], options: ExportOptions) -> bytes:
    lang, via = options.lang, options.via
    text = say(
        "activepieces_readme",
        name=NAME,
        file=FILE,
        about=_about(connector),
        backend=say(f"package_readme_{via}"),
        credential=say(f"package_enter_{via}"),
        title=connector.action(connector.roles["account_list"]).title,
        actions=_titles(actions),
        triggers=_titles(triggers),
        conduct=say(f"activepieces_conduct_{via}"),
    ).in_(lang)
    return (text + left_out(dropped, lang)).encode()


def _titles(manifests: Any) -> Text:
    return Text(*(listed(f"{one.title.in_(lang)} (`{one.id}`)" for one in manifests) for lang in ("en", "de")))
