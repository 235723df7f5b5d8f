"""Loads the manifests and what stands beside them: compiled once, checked whenever that happens, then read fast;
and finds one by what people call it.

The package's own stand in `manifests/`; a folder named by `KONTOR_MANIFESTS` may hold further ones.
"""

from __future__ import annotations

import os

from connector.core import compiled
from connector.core.manifest.files import FOLDER, KINDS, LIBRARY, sources

TYPE_CHECKING = False  # not from typing, which takes longer to import than a list of the command line takes to print
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from connector.core.manifest.files import Trees

VARIABLE = "KONTOR_MANIFESTS"
MANIFESTS, BESIDE = "manifests", "library"


def load(further: str | None = None) -> Trees:
    """All manifests as their form reads them, by kind and id; those of `further` instead of `KONTOR_MANIFESTS`."""
    return _merged(MANIFESTS, further)


def library(further: str | None = None) -> dict[str, Any]:
    """States, events, resources, labels, words, formats and kinds of files, by name."""
    return _merged(BESIDE, further)


def _merged(part: str, further: str | None) -> Trees:
    trees: Trees = _cached(FOLDER, part)
    for folder in _further(further):
        for name, entries in _cached(folder, part).items():
            trees[name] = {**trees[name], **entries}
    return trees


def _cached(folder: str, part: str) -> Trees:
    own = folder == FOLDER
    name = part if own else f"{part}-{folder.strip(os.sep).replace(os.sep, '+')}"
    files = sources(folder) if os.path.isdir(folder) else []
    trees: Trees = compiled.load(name, folder if own else None, files, lambda: _checked(folder, part))
    return trees


def _checked(folder: str, part: str) -> Trees:
    """Reads and checks the YAML itself. Raises `InputError` that names file, line and what was meant."""
    from connector.core.data.events import TIMES_SAMPLE
    from connector.core.manifest.check import checked

    own = None if folder == FOLDER else {**_cached(FOLDER, MANIFESTS), **_cached(FOLDER, BESIDE)}
    trees = checked(folder, own, VARIABLE)
    for trigger in trees["triggers"].values():
        if trigger["source"] == "event":
            trigger["sample"] = [{**sample, **TIMES_SAMPLE} for sample in trigger["sample"]]
    return {name: trees[name] for name in (KINDS if part == MANIFESTS else LIBRARY)}


def _further(named: str | None) -> list[str]:
    folder = os.environ.get(VARIABLE, "").strip() if named is None else named
    return [os.path.abspath(os.path.expanduser(folder))] if folder else []


def searched_text(tree: Mapping[str, Any]) -> str:
    """Everything by which a manifest is found, in small letters."""
    title, summary = tree["title"], tree.get("summary", {})
    words = (tree["id"], *title.values(), *summary.values(), *tree.get("aliases", ()))
    return " ".join((*words, tree["id"].replace("_", " "))).casefold()


def matches(tree: Mapping[str, Any], text: str) -> bool:
    """Whether every word of the text stands in it, in capital letters or small ones."""
    searched = searched_text(tree)
    return all(word in searched for word in text.casefold().split())
