"""The ready-built n8n package: npm's layout, the same bytes every time, and nodes that Node loads."""

from __future__ import annotations

import io
import json
import posixpath
import re
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import pytest

from connector import Connector
from connector.core.service.wire import Wire
from connector.export import catalogue
from connector.export.n8n.package import build_to_install
from connector.export.node.commonjs import commonjs
from connector.export.node.compile import _node
from connector.export.shape import ExportOptions, Via

CONNECTOR = Connector("unused")
STUB = "exports.NodeConnectionTypes = { Main: 'main' }; exports.NodeApiError = class extends Error {};"
LOAD = """
const { n8n } = require('./package/package.json');
const made = [...n8n.nodes, ...n8n.credentials].map((file) => {
  const [name, found] = Object.entries(require('./package/' + file))[0];
  const one = new found();
  const runs = typeof (one.execute ?? one.poll ?? one.webhook);
  return { name, properties: (one.description ?? one).properties.length, runs };
});
process.stdout.write(JSON.stringify(made));
"""


def options(via: Via, lang: str = "en") -> ExportOptions:
    return ExportOptions(via=via, wire=Wire.load({}), lang=lang)  # type: ignore[arg-type]


def unpacked(content: bytes) -> dict[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        return {one.name: archive.extractfile(one).read() for one in archive}  # type: ignore[union-attr]


def loaded(folder: Path, content: bytes) -> list[dict[str, Any]]:
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        archive.extractall(folder, filter="data")
    (folder / "node_modules" / "n8n-workflow").mkdir(parents=True)
    (folder / "node_modules" / "n8n-workflow" / "index.js").write_text(STUB)
    done = subprocess.run([_node(), "-e", LOAD], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("via", ["service", "host"])
def test_node_loads_every_node_and_credential_of_the_package(tmp_path: Path, via: Via) -> None:
    name, content = build_to_install(CONNECTOR, options(via))
    assert name.startswith("n8n-nodes-kontor-")
    made = loaded(tmp_path, content)
    assert [one["name"] for one in made] == ["Kontor", "KontorTrigger", "KontorEventTrigger", "KontorApi"]
    assert all(one["properties"] for one in made)
    assert [one["runs"] for one in made[:3]] == ["function"] * 3


def test_it_has_the_layout_of_npm_and_the_same_bytes_every_time() -> None:
    _, content = build_to_install(CONNECTOR, options("host"))
    assert content == build_to_install(CONNECTOR, options("host"))[1]
    files = unpacked(content)
    assert next(iter(files)) == "package/package.json"
    assert all(name.startswith("package/") for name in files)
    about = json.loads(files["package/package.json"])
    assert "devDependencies" not in about
    for entry in (*about["n8n"]["nodes"], *about["n8n"]["credentials"]):
        assert f"package/{entry}" in files
    assert not [name for name in files if name.endswith(".ts")]


def test_every_module_that_is_required_is_in_the_package() -> None:
    files = unpacked(build_to_install(CONNECTOR, options("service"))[1])
    for name, content in files.items():
        for path in re.findall(r"require\('(\.[^']+)'\)", content.decode()) if name.endswith(".js") else ():
            meant = posixpath.normpath(f"{posixpath.dirname(name)}/{path}")
            assert meant in files or f"{meant}.js" in files, f"{name} requires {path}"


def test_what_commonjs_cannot_say_is_an_error() -> None:
    assert "exports.a = a;" in commonjs("export const a = 1;\n")
    assert "const { b: c } = require('./b.js');" in commonjs("import { b as c } from './b.js';\n")
    with pytest.raises(ValueError, match="export default"):
        commonjs("export default 1;\n")


def test_what_npm_packs_is_installed_as_it_is_and_nothing_else() -> None:
    made = {one: catalogue.ready_made(one, CONNECTOR, options("service")) for one in catalogue.platforms()}
    assert [name for name, one in made.items() if one is not None] == ["activepieces", "n8n", "node-red"]
