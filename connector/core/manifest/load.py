"""Loads the manifests as they are written, by kind and id."""

from __future__ import annotations

import os

from connector.core import compiled

TYPE_CHECKING = False  # as in `typing`, whose import alone would take a third of the command line's start
if TYPE_CHECKING:
    from typing import Any

    Trees = dict[str, dict[str, dict[str, Any]]]

FOLDER = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))), "manifests"
)
KINDS = ("actions", "lookups", "triggers")
AREAS = ("ledger", "banking", "mobility", "any")
"""In the order in which lists and forms show them."""


def load(folder: str = FOLDER) -> Trees:
    """All manifests, from the cache where that is fresh."""
    sources = _sources(folder)
    trees: Trees = compiled.load("manifests", folder, sources, lambda: _parse(folder, sources))
    return trees


def parse(folder: str = FOLDER) -> Trees:
    """All manifests, from the YAML itself."""
    return _parse(folder, _sources(folder))


def _sources(folder: str) -> compiled.Sources:
    return compiled.sources(os.path.join(folder, kind) for kind in KINDS)


def _parse(folder: str, sources: compiled.Sources) -> Trees:
    trees: Trees = {kind: {} for kind in KINDS}
    for path, _ in sources:
        kind = os.path.relpath(path, folder).split(os.sep)[0]
        tree = compiled.read_yaml(path)
        trees[kind][tree["id"]] = tree
    return trees
