"""Exported packages on disk, compiled and ready for n8n's engine."""

from __future__ import annotations

from pathlib import Path

from connector import Connector
from connector.export.catalogue import export, write
from connector.export.shape import ExportOptions
from tests.platforms.n8n.engine.n8n_tools import Toolchain

CONNECTOR = Connector("unused")


def written(tools: Toolchain, folder: Path, options: ExportOptions, connector: Connector = CONNECTOR) -> Path:
    """The package as `kontor export` writes it, with n8n's tools at hand."""
    write(export("n8n", connector, options), folder)
    tools.link(folder)
    return folder


def built(tools: Toolchain, folder: Path, options: ExportOptions) -> Path:
    """The package built with n8n's own tool, every type checked."""
    done = tools.tool("n8n-node", "build", within=written(tools, folder, options))
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def transpiled(tools: Toolchain, folder: Path, options: ExportOptions, connector: Connector = CONNECTOR) -> Path:
    """The package translated in a few seconds, for tests of what differs from the one that was built."""
    done = tools.tool("tsc", "--noCheck", within=written(tools, folder, options, connector))
    assert done.returncode == 0, done.stdout
    for name, content in export("n8n", connector, options).files.items():
        if name.endswith(".svg"):
            (folder / "dist" / name).write_bytes(content)
    return folder
