"""Puts the Node-RED package together: the editor's page and its words, the packs, and the JavaScript that runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from connector.core.messages import Text, say
from connector.export import icon
from connector.export.node import npm_lock
from connector.export.node.contents import Contents, contents_of
from connector.export.node.npm_package import document, left_out, licence, listed, origin, packed
from connector.export.node.runnable import runnable
from connector.export.node_red import forms
from connector.export.node_red.help import locales
from connector.export.shape import Dropped, Export, ExportOptions
from connector.runtime.connector import Connector
from connector.version import __version__

PLATFORM = "node-red"
QUELLE = "node-red"
"""The label under which the service sees calls from this platform."""
NAME = "@kontor/node-red"
FILE = f"kontor-node-red-{__version__}.tgz"
"""As `npm pack` calls it."""
EDITOR = Path(__file__).with_name("editor.html")
FORMS = "/*forms*/"
START = "node_red/register.js"
OLDEST = {"node": ">=20", "node-red": ">=4.1.0"}


def build(connector: Connector, options: ExportOptions) -> Export:
    """The package for these options."""
    contents = contents_of(connector, options)
    dropped = (*contents.dropped, *_lost(contents, options))
    about = Text(*(connector.about["description"][lang].strip() for lang in ("en", "de")))
    files = {
        **_papers(about.en, options),
        "LICENSE": licence(),
        "README.md": _readme(connector, contents, dropped, about, options),
        "nodes/kontor.js": _start(options).encode(),
        "nodes/kontor.html": _editor(contents, options).encode(),
        "nodes/icons/kontor.svg": icon.svg(),
        **{f"nodes/{name}": content for name, content in locales(contents, options, about).items()},
        **runnable(connector, contents, options, QUELLE, START, ("en", "de")),
        **_examples(connector, options),
    }
    return Export(PLATFORM, dict(sorted(files.items())), contents.ids, dropped)


def build_to_install(connector: Connector, options: ExportOptions) -> tuple[str, bytes]:
    """The package as Node-RED installs it: the name of the file, and its bytes."""
    return FILE, packed(build(connector, options).files)


def _papers(about: str, options: ExportOptions) -> dict[str, bytes]:
    """What npm and Node-RED read first. It needs nothing but Node-RED itself."""
    described = {
        "name": NAME,
        "version": __version__,
        "description": about,
        **origin(options.publisher),
        "keywords": ["node-red", "accounting", "banking"],
        "engines": {"node": OLDEST["node"]},
        "node-red": {"version": OLDEST["node-red"], "nodes": {"kontor": "nodes/kontor.js"}},
    }
    lock = npm_lock.package_lock(described, {"packages": {}})
    return {"package.json": document(described), "package-lock.json": document(lock)}


def _start(options: ExportOptions) -> str:
    """The module that Node-RED loads."""
    return "\n".join(
        [
            "'use strict';",
            "",
            f"const {{ register }} = require('../{START}');",
            "const { CODE } = require('../code.js');",
            "",
            "const packs = { en: require('../pack.en.json'), de: require('../pack.de.json') };",
            "",
            "module.exports = (RED) => {",
            f"  register(RED, {{ packs, lang: '{options.lang}', code: CODE, via: '{options.via}' }});",
            "};",
            "",
        ]
    )


def _editor(contents: Contents, options: ExportOptions) -> str:
    """The editor's page. What stands in it ends no script, whatever a manifest says."""
    address = options.host_url if options.via == "host" else options.base_url
    structure = {"via": options.via, "baseUrl": address, **forms.structure(contents, options)}
    text = json.dumps(structure, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    return EDITOR.read_text(encoding="utf-8").replace(FORMS, text)


def _examples(connector: Connector, options: ExportOptions) -> dict[str, bytes]:
    """A flow to begin with, which the editor offers to import."""
    listing = connector.action(connector.roles["account_list"])
    account = {"id": "kontor0000000000", "type": "kontor-account", "name": "", "publicUrl": "", "store": ""}
    account["baseUrl"] = options.host_url if options.via == "host" else options.base_url
    action = {"action": listing.id, "inputs": {}, "account": account["id"], "name": ""}
    flow: list[dict[str, Any]] = [
        _node("1", "inject", 140, 100, ["2"], props=[], repeat="", once=False, topic=""),
        _node("2", "kontor-action", 340, 100, ["3"], **action),
        _node("3", "debug", 560, 100, None, name="", active=True, tosidebar=True, complete="payload"),
        _node("4", "catch", 140, 160, ["5"], name="", scope=None, uncaught=False),
        _node("5", "debug", 560, 160, None, name="", active=True, tosidebar=True, complete="error"),
        account,
    ]
    return {f"examples/{_example_name(connector, options)}.json": document(flow)}


def _example_name(connector: Connector, options: ExportOptions) -> str:
    return connector.action(connector.roles["account_list"]).title.in_(options.lang)


def _node(number: str, kind: str, x: int, y: int, wires: list[str] | None, **more: Any) -> dict[str, Any]:
    places = [[_id(one) for one in wires]] if wires else []
    return {"id": _id(number), "type": kind, "x": x, "y": y, "wires": places, **more}


def _id(number: str) -> str:
    return f"kontor{number:0>10}"


def _lost(contents: Contents, options: ExportOptions) -> list[Dropped]:
    """What the form and the memory of Node-RED cannot do."""
    found = [
        Dropped("field", f"{one.id}.{field.name}", say("node_red_lines_as_json"))
        for one in contents.forms
        for field in forms.shown(one, options)
        if field.type == "list"
    ]
    polls = [one for one in contents.triggers if one.source == "poll"]
    return [*found, *(Dropped("check", one.id, say("node_red_not_lasting")) for one in polls)]


def _readme(
    connector: Connector, contents: Contents, dropped: tuple[Dropped, ...], about: Text, options: ExportOptions
) -> bytes:
    lang, via = options.lang, options.via
    listing = connector.action(connector.roles["account_list"])
    text = say(
        "node_red_readme",
        name=NAME,
        file=FILE,
        about=about,
        backend=say(f"package_readme_{via}"),
        credential=say(f"package_enter_{via}"),
        test=say("node_red_test"),
        title=listing.title,
        example=_example_name(connector, options),
        actions=_titles(contents.actions),
        triggers=_titles(contents.triggers),
        conduct=say(f"node_red_conduct_{via}"),
    ).in_(lang)
    return (text + left_out(dropped, lang)).encode()


def _titles(manifests: Any) -> Text:
    return Text(*(listed(f"{one.title.in_(lang)} (`{one.id}`)" for one in manifests) for lang in ("en", "de")))
