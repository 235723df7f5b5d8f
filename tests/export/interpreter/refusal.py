"""What an interpreter raises at anything it does not know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class NotUnderstood(Exception):
    """The export uses something that no test has ever seen working."""


def only(tree: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Refuses keys that nobody interprets."""
    strange = set(tree) - set(known)
    if strange:
        raise NotUnderstood(f"{where}: {', '.join(sorted(strange))}")
