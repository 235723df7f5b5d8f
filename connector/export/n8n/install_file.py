"""Builds the package that n8n installs as it is: JavaScript in the layout of `npm pack`, without Node.

Types were erased when Kontor itself was built; what differs from export to export is filled in here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from connector.export.node.commonjs import commonjs
from connector.export.node.compile import BUILD
from connector.export.node.npm_package import document, packed
from connector.export.shape import Export

HOME = "nodes/Kontor"
PAPERS = ("README.md", "LICENSE")
COPIED = (".svg", ".node.json")


def install_file(export: Export, scripts: Mapping[str, str], via: str) -> bytes:
    """Return the file to install; `scripts` is the JavaScript that was written for this export, by path."""
    modules = {**_compiled(export, via), **scripts}
    found = {"package.json": _package_json(export), **{name: export.files[name] for name in PAPERS}}
    found |= {f"dist/{name}": content for name, content in export.files.items() if name.endswith(COPIED)}
    found |= {f"dist/{name}": commonjs(text).encode() for name, text in modules.items()}
    return packed(found)


def _compiled(export: Export, via: str) -> dict[str, str]:
    """The modules that are the same in every export: the core, the code beside manifests and the adapter."""
    found = {}
    for name in export.files:
        part, _, path = name.removeprefix(f"{HOME}/").removesuffix(".ts").partition("/")
        if not name.startswith(f"{HOME}/") or not name.endswith(".ts") or not path:
            continue
        if part == "core":
            places = [BUILD / "core" / f"{path}.js"]
        elif part == "code":
            kind, _, id = path.partition("/")
            places = sorted((BUILD / kind).glob(f"*/{id}.js"))
        else:
            places = [BUILD / "n8n" / folder / f"{path}.js" for folder in (via, "shared")]
        text = next((one.read_text(encoding="utf-8") for one in places if one.is_file()), None)
        if text is not None:  # nothing is left of a module of types
            found[f"{HOME}/{part}/{path}.js"] = text
    return found


def _package_json(export: Export) -> bytes:
    described = json.loads(export.files["package.json"])
    for name in ("scripts", "devDependencies"):
        described.pop(name, None)
    return document(described)
