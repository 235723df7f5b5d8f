"""What of a package runs on plain Node, as CommonJS: the core, the code beside manifests, an adapter, and the packs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from connector.core.manifest.model import Manifest
from connector.export.node.commonjs import commonjs
from connector.export.node.compile import modules
from connector.export.node.contents import Contents
from connector.export.node.npm_package import document
from connector.export.node.pack import pack
from connector.export.node.sources import exported_as, has_code
from connector.export.shape import ExportOptions
from connector.runtime.requests.catalog import Catalog


def runnable(
    catalog: Catalog,
    contents: Contents,
    options: ExportOptions,
    quelle: str,
    start: str,
    langs: Iterable[Literal["en", "de"]],
) -> dict[str, bytes]:
    """The modules that `start` needs, `code.js` with what manifests cannot declare, and a pack for each language."""
    code = [(one, f"{one.kind}s/{one.area}/{one.id}.js") for one in contents.forms if has_code(one)]
    found = modules(start, *(path for _, path in code))
    packs = {
        f"pack.{lang}.json": pack(catalog, contents.all, replace(options, lang=lang), quelle, found.values())
        for lang in langs
    }
    return {
        **{name: commonjs(text).encode() for name, text in found.items()},
        "code.js": _code(code).encode(),
        **{name: document(content) for name, content in packs.items()},
    }


def _code(paths: Iterable[tuple[Manifest, str]]) -> str:
    lines = ["'use strict';", ""]
    held: dict[str, list[str]] = {"actions": [], "triggers": []}
    for manifest, path in paths:
        name = exported_as(manifest.id)
        lines.append(f"const {{ {name} }} = require('./{path}');")
        held[f"{manifest.kind}s"].append(f"{manifest.id}: {name}")
    inner = ", ".join(f"{kind}: {{ {', '.join(names)} }}" for kind, names in held.items())
    return "\n".join([*lines, "", f"exports.CODE = {{ {inner} }};", ""])
