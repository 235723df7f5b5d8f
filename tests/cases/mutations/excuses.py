"""The changes that no case can notice, with their reasons (`equivalent.yaml`).

An excuse names a function and how many changes of which kind in it may survive: conditions forced to true, conditions
forced to false, exchanged names of sentences. Where the function stands, and what its conditions read like, does not
matter; one survivor more or less than excused fails the test. Without numbers, all changes in the function are excused.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

LIST = Path(__file__).with_name("equivalent.yaml")
KINDS = {True: "forced_true", False: "forced_false"}
OTHER_NAME = "other_name"
Change = Mapping[str, Any]


def kind_of(change: Change) -> str:
    """Return what was done in a change."""
    return KINDS[change["forced"]] if change["kind"] == "condition" else OTHER_NAME


class Excuses:
    """What the list says of the functions of one language."""

    def __init__(self, language: str) -> None:
        tree: Mapping[str, list[dict[str, Any]]] = yaml.safe_load(LIST.read_text(encoding="utf-8"))
        self._whole: set[str] = set()
        self._excused: Counter[tuple[str, str]] = Counter()
        for entry in tree[language]:
            assert entry["why"]
            numbers = {kind: entry[kind] for kind in (*KINDS.values(), OTHER_NAME) if kind in entry}
            assert set(entry) == {"function", "why", *numbers}, entry
            if not numbers:
                self._whole.add(entry["function"])
            for kind, number in numbers.items():
                self._excused[entry["function"], kind] += number

    def cover(self, change: Change) -> bool:
        """Whether all changes in the function of this one are excused."""
        return change["function"] in self._whole

    def beyond(self, survivors: Iterable[Change]) -> list[Change]:
        """Return the survivors of which there are more than excused, with all of their kind in their function."""
        found = self._grouped(survivors)
        return [one for key, changes in found.items() if len(changes) > self._excused[key] for one in changes]

    def without_use(self, survivors: Iterable[Change]) -> list[str]:
        """Return what is excused and did not survive."""
        survived = list(survivors)
        found = self._grouped(survived)
        whole = self._whole - {change["function"] for change in survived}
        fewer = [
            f"{function}: {kind} {len(found.get((function, kind), ()))} of {number}"
            for (function, kind), number in self._excused.items()
            if len(found.get((function, kind), ())) < number
        ]
        return [*sorted(whole), *fewer]

    def _grouped(self, survivors: Iterable[Change]) -> dict[tuple[str, str], list[Change]]:
        found: dict[tuple[str, str], list[Change]] = defaultdict(list)
        for change in survivors:
            if not self.cover(change):
                found[change["function"], kind_of(change)].append(change)
        return dict(found)
