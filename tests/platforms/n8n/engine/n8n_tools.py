"""Gets n8n's own tools, and works on an exported package with them."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.platforms.node import Node, find_node, or_skip
from tests.platforms.npm import installed

TOOL_SECONDS = 300


@dataclass(frozen=True)
class Toolchain:
    """Node, and a folder whose `node_modules` hold n8n's tools."""

    node: Node
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """Node first on the path, and n8n's own state out of everybody's way."""
        around = self.node.environment.items()
        return {
            **{name: value for name, value in around if not name.startswith(("N8N_", "KONTOR_"))},
            "N8N_USER_FOLDER": str(self.folder / "n8n-state"),
            "N8N_ENCRYPTION_KEY": "only-for-tests",
            "N8N_DIAGNOSTICS_ENABLED": "false",
            "NO_COLOR": "1",
        }

    def tool(self, name: str, *arguments: str, within: Path) -> subprocess.CompletedProcess[str]:
        """Runs one of n8n's tools on a package."""
        script = (self.folder / "node_modules" / ".bin" / name).resolve()
        return subprocess.run(
            [self.node.program, str(script), *arguments],
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
    with or_skip():
        return Toolchain(find_node(), installed("n8n"))
