"""A broken promise that the checker found in a history."""

from __future__ import annotations

from typing import NamedTuple


class Violation(NamedTuple):
    """What kind of promise was broken, and where."""

    kind: str
    where: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.where}"
