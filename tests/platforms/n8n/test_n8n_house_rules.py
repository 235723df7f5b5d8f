"""n8n's own linter with its stock configuration, and its scanner's rules, have nothing to say about the package."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from connector.export.shape import ExportOptions, Via
from tests.platforms.n8n.engine.n8n_engine import Engine
from tests.platforms.n8n.engine.n8n_package import built, written
from tests.platforms.n8n.engine.n8n_tools import Toolchain

pytestmark = pytest.mark.platforms

SCAN = """
import { pathToFileURL } from 'url';
const [scanner, folder] = process.argv.slice(-2);
const { analyzePackage } = await import(pathToFileURL(scanner));
const found = await analyzePackage(folder, ['nodes/**/*.ts', 'credentials/**/*.ts', 'package.json', 'dist/**/*.js']);
console.log(found.passed ? 'clean' : found.details ?? found.message);
"""


@pytest.mark.parametrize("via", ["service", "host"])
def test_the_stock_linter_finds_nothing(via: Via, tools: Toolchain, tmp_path: Path) -> None:
    done = tools.tool("n8n-node", "lint", within=written(tools, tmp_path, ExportOptions(via=via)))
    assert done.returncode == 0, done.stdout
    assert "problem" not in done.stdout


def test_a_package_for_a_host_builds_as_well(tools: Toolchain, tmp_path: Path) -> None:
    assert (built(tools, tmp_path, ExportOptions(via="host")) / "dist").is_dir()


def test_the_rules_of_the_scanner_find_nothing(tools: Toolchain, package: Path, tmp_path: Path) -> None:
    copy = tmp_path / "package"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("node_modules", "*.map"))
    scanner = tools.folder / "node_modules" / "@n8n" / "scan-community-package" / "scanner" / "scanner.mjs"
    done = subprocess.run(
        [tools.node.program, "--input-type=module", "-e", SCAN, str(scanner), str(copy)],
        cwd=tools.folder,
        env=tools.environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout.strip().endswith("clean"), done.stdout + done.stderr


def test_the_action_node_is_a_tool_for_agents_and_the_triggers_are_not(engine: Engine) -> None:
    shown = {
        node: engine.ask("describe", node, {})["description"].get("usableAsTool", False)
        for node in ("kontor", "kontorTrigger", "kontorEventTrigger")
    }
    assert shown == {"kontor": True, "kontorTrigger": False, "kontorEventTrigger": False}


def test_every_dropdown_of_every_form_has_its_method(engine: Engine) -> None:
    for node in ("kontor", "kontorTrigger", "kontorEventTrigger"):
        answer = engine.ask("describe", node, {})
        wanted = _methods(answer["description"]["properties"])
        assert wanted <= set(answer["methods"])


def _methods(properties: list[dict[str, object]]) -> set[str]:
    found: set[str] = set()
    for one in properties:
        for mode in one.get("modes") or []:  # type: ignore[attr-defined]
            if mode["type"] == "list":
                found.add(mode["typeOptions"]["searchListMethod"])
        for inner in one.get("options") or []:  # type: ignore[attr-defined]
            if isinstance(inner, dict):
                found |= _methods([inner])
    return found
