"""The files of a folder of manifests: which there are, and what they say, unchecked."""

from __future__ import annotations

import os

from connector.core import compiled

TYPE_CHECKING = False  # not from typing, which takes longer to import than a list of the command line takes to print
if TYPE_CHECKING:
    from typing import Any

    Trees = dict[str, dict[str, dict[str, Any]]]

FOLDER = os.path.realpath(os.path.join(os.path.abspath(__file__).rsplit(os.sep, 3)[0], "manifests"))
KINDS = ("actions", "lookups", "triggers")
AREAS = ("ledger", "banking", "mobility", "any")
"""In the order in which lists and forms show them."""
RESOURCES = "resources"
LIBRARY = ("states", "events", "labels", "words", "formats", "fields", "file_kinds", "provider", "proofs", RESOURCES)
"""What stands beside the manifests, a file each; resources are a folder of files."""


def sources(folder: str) -> compiled.Sources:
    """Every file of a folder that counts, with what tells whether it has changed."""
    files = [os.path.join(folder, f"{name}.yaml") for name in LIBRARY]
    single = [(path, os.stat(path)) for path in files if os.path.exists(path)]
    return [*single, *compiled.sources(os.path.join(folder, part) for part in (*KINDS, RESOURCES))]


def read(folder: str) -> tuple[Trees, dict[str, str]]:
    """Everything in a folder by kind and id, and the file in which each manifest stands."""
    trees: Trees = {name: {} for name in (*KINDS, *LIBRARY)}
    homes: dict[str, str] = {}
    for path, _ in sources(folder):
        part = _part(path, folder)
        tree = compiled.read_yaml(path)
        if part in KINDS:
            id = str(tree.get("id")) if isinstance(tree, dict) else path
            homes[f"{part}/{id}"] = path
            trees[part][id] = tree
        else:
            trees[part].update(tree or {})
    return trees, homes


def library_files(folder: str) -> list[tuple[str, str]]:
    """The files that stand beside the manifests, each with its part."""
    return [(path, _part(path, folder)) for path, _ in sources(folder) if _part(path, folder) in LIBRARY]


def _part(path: str, folder: str) -> str:
    return os.path.relpath(path, folder).split(os.sep)[0].removesuffix(".yaml")
