"""Compiles the TypeScript of the exports whenever a wheel is built or the checkout is installed as editable."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

COMPILE = Path("connector", "export", "node", "compile.py")


class CompileTypeScript(BuildHookInterface):  # type: ignore[type-arg,misc]
    """The hook that hatchling calls."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Runs the module by its path: what the package itself needs is not installed here."""
        runpy.run_path(str(Path(self.root) / COMPILE))["compile_all"]()
