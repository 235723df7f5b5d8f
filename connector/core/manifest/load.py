"""Loads the manifests fast: YAML is read once, and kept as one JSON file until a manifest changes."""

from __future__ import annotations

import contextlib
import json
import os

TYPE_CHECKING = False  # as in `typing`, whose import alone would take a third of the command line's start
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Trees = dict[str, dict[str, dict[str, Any]]]

FOLDER = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))), "manifests"
)
KINDS = ("actions", "lookups", "triggers")
COMPILED = ".compiled.json"


def load(folder: str = FOLDER) -> Trees:
    """All manifests as they are written, by kind and id."""
    files = sorted(_files(folder))
    stamp = _stamp(files)
    for cache in _caches(folder):
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            with open(cache, encoding="utf-8") as file:
                kept = json.load(file)
            if kept["stamp"] == stamp:
                trees: Trees = kept["manifests"]
                return trees
    trees = parse(folder)
    _keep(folder, json.dumps({"stamp": stamp, "manifests": trees}))
    return trees


def parse(folder: str = FOLDER) -> Trees:
    """Reads the YAML itself."""
    import yaml

    reader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    trees: Trees = {kind: {} for kind in KINDS}
    for path, _ in sorted(_files(folder)):
        with open(path, encoding="utf-8") as file:
            tree = yaml.load(file, Loader=reader)  # noqa: S506 - both are safe loaders
        kind = os.path.relpath(path, folder).split(os.sep)[0]
        # Dates in samples and examples are text on the wire, and in every other format that is made from these trees.
        trees[kind][tree["id"]] = json.loads(json.dumps(tree, default=str))
    return trees


def _files(folder: str) -> Iterator[tuple[str, os.stat_result]]:
    """Walked by hand: `Path.rglob` takes longer than everything else that a start does."""
    pending = [os.path.join(folder, kind) for kind in KINDS]
    while pending:
        with contextlib.suppress(FileNotFoundError), os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    pending.append(entry.path)
                elif entry.name.endswith(".yaml"):
                    yield entry.path, entry.stat()


def _stamp(files: list[tuple[str, os.stat_result]]) -> str:
    """Changes whenever a manifest is added, removed or written."""
    return "\n".join(f"{path} {stat.st_mtime_ns} {stat.st_size}" for path, stat in files)


def _caches(folder: str) -> Iterator[str]:
    """Beside the manifests; where that may not be written to, in the user's cache."""
    yield os.path.join(folder, COMPILED)
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    yield os.path.join(home, "kontor", COMPILED.lstrip("."))


def _keep(folder: str, text: str) -> None:
    import tempfile

    for cache in _caches(folder):
        with contextlib.suppress(OSError):
            parent = os.path.dirname(cache)
            os.makedirs(parent, exist_ok=True)
            # Written aside and moved into place: another process may be reading.
            handle, aside = tempfile.mkstemp(dir=parent, prefix=os.path.basename(cache))
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(aside, cache)
            return
