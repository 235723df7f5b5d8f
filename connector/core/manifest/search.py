"""Finds manifests by what people call them: id, title in either language, and search words."""

from __future__ import annotations

TYPE_CHECKING = False  # not from typing, which takes longer to import than a list of the command line takes to print
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def searched_text(tree: Mapping[str, Any]) -> str:
    """Everything by which a manifest is found, in small letters."""
    title, summary = tree["title"], tree.get("summary", {})
    words = (tree["id"], *title.values(), *summary.values(), *tree.get("aliases", ()))
    return " ".join((*words, tree["id"].replace("_", " "))).casefold()


def matches(tree: Mapping[str, Any], text: str) -> bool:
    """Whether every word of the text stands in it, in capital letters or small ones."""
    found = searched_text(tree)
    return all(word in found for word in text.casefold().split())
