"""Runs cases in the TypeScript core: one process of Node for all of them."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from connector.core.service.wire import Wire
from connector.export.node.pack import pack
from connector.export.shape import ExportOptions
from connector.testing.cases.files import Case
from tests.cases.in_python import QUELLE, Interpreter
from tests.platforms.node import find_node

ROOT = Path(__file__).parents[2]
CORE = ROOT / "connector" / "export" / "node" / "core"
RUNNER = Path(__file__).parent / "node" / "cases.mjs"
SECONDS = 120


def packs(interpreter: Interpreter, cases: Iterable[Case]) -> dict[str, Any]:
    """The pack of every manifest, by the wire names that cases override, and by language."""
    folders = (CORE, ROOT / "actions", ROOT / "triggers")
    sources = [path.read_text(encoding="utf-8") for folder in folders for path in folder.rglob("*.ts")]
    held = [interpreter.manifest(id) for id in sorted(interpreter.ids())]
    return {
        wire: {
            lang: pack(interpreter.catalog, held, ExportOptions(lang=lang, wire=_names(wire)), QUELLE, sources)
            for lang in ("en", "de")
        }
        for wire in {case.wire for case in cases}
    }


def _names(wire: str) -> Wire:
    return Wire.with_overrides(json.loads(wire))


def run(cases: Collection[Case], interpreter: Interpreter, folder: Path, runner: Path = RUNNER) -> dict[str, Any]:
    """What became of each case, by its key. `folder` is for the files that go to and fro."""
    source, told = folder / "cases.json", folder / "told.json"
    document = {"packs": packs(interpreter, cases), "cases": [case.as_json() for case in cases]}
    source.write_text(json.dumps(document), encoding="utf-8")
    command = [find_node().program, str(runner), str(CORE), str(source), str(told)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    if done.returncode:
        raise RuntimeError(done.stderr[-4000:])
    found: dict[str, Any] = json.loads(told.read_text(encoding="utf-8"))
    return found
