"""The changes that no case can notice, with their reasons (`equivalent.yaml`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

LIST = Path(__file__).with_name("equivalent.yaml")
NAME = "name"
"""In the list, stands for an exchanged name."""
Change = Mapping[str, Any]


class Excuses:
    """What the list says of the files that begin so."""

    def __init__(self, *beginnings: str) -> None:
        tree: Mapping[str, list[dict[str, Any]]] = yaml.safe_load(LIST.read_text(encoding="utf-8"))
        self._entries = [
            {"file": file, **entry}
            for file, entries in tree.items()
            if file.startswith(beginnings)
            for entry in entries
        ]

    def cover(self, change: Change) -> bool:
        """Whether the change is excused."""
        return any(_fits(entry, change) for entry in self._entries)

    def without_use(self, changes: Iterable[Change]) -> list[dict[str, Any]]:
        """Entries that none of these changes needs."""
        found = list(changes)
        return [entry for entry in self._entries if not any(_fits(entry, change) for change in found)]


def _fits(entry: Mapping[str, Any], change: Change) -> bool:
    if entry["file"] != change["file"]:
        return False
    if "function" in entry and entry["function"] != change["function"]:
        return False
    if "text" not in entry:
        return True
    forced = change["forced"] if change["kind"] == "condition" else NAME
    return bool(entry["text"] == change["text"] and forced in entry["forced"])
