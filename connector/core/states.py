"""A series of states: which one is later, which ones are final, and that none goes back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class States:
    """A series as `manifests/states.yaml` declares it; equal ones stand in one list."""

    def __init__(self, declared: Mapping[str, Any]) -> None:
        steps = [step if isinstance(step, list) else [step] for step in declared["order"]]
        self.rank: Mapping[str, int] = {state: rank for rank, step in enumerate(steps, start=1) for state in step}
        self.final = frozenset(declared["final"])
        self.succeeded = frozenset(declared.get("succeeded", ()))
        self.needs_person = frozenset(declared.get("needs_person", ()))

    def moves_forward(self, old: str | None, new: str) -> bool:
        """Whether `new` is news for something last known as `old`; None when nothing is known of it yet.

        A state that nobody described lies somewhere between the first and the final ones: it is news itself, and it
        keeps none of the described ones from being news.
        """
        if old is None:
            return True
        if old == new or old in self.final:
            return False
        if old in self.rank and new in self.rank:
            return self.rank[new] > self.rank[old]
        return True
