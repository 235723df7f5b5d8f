"""Makes what a wheel brings beside its sources: JavaScript of the exports' TypeScript, and the bill of materials.

The first is also made when the checkout is installed as editable. The metadata name whoever publishes.
"""

from __future__ import annotations

import os
import runpy
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

COMPILE = Path("connector", "export", "node", "compile.py")
BILL = Path("build", "kontor-connector.cdx.json")


class PublisherHook(MetadataHookInterface):  # type: ignore[misc]
    """Names the publisher in the wheel's metadata, where the file in `KONTOR_PUBLISHER` says who that is."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Packages for platforms name the same (`connector/export/shape.py`)."""
        path = os.environ.get("KONTOR_PUBLISHER", "").strip()
        given = tomllib.loads(Path(path).read_text(encoding="utf-8")) if path else {}
        author = {"name": given.get("author"), "email": given.get("email")}
        urls = {"Homepage": given.get("homepage"), "Source": given.get("repository")}
        metadata["authors"] = [{name: value for name, value in author.items() if value}] if any(author.values()) else []
        metadata["urls"] = {name: value for name, value in urls.items() if value}


class BuildHook(BuildHookInterface):  # type: ignore[type-arg,misc]
    """The hook that hatchling calls."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Runs modules by their paths: what the package itself needs is not installed here."""
        root = Path(self.root)
        runpy.run_path(str(root / COMPILE))["compile_all"]()
        write = runpy.run_path(str(root / "build_hooks" / "bill_of_materials.py"))["bill_of_materials"]
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        fixed = (root / "constraints.txt").read_text(encoding="utf-8").splitlines()
        (root / BILL).parent.mkdir(exist_ok=True)
        (root / BILL).write_text(write(project, self.metadata.version, fixed), encoding="utf-8")
        build_data["sbom_files"] = [str(BILL)]
