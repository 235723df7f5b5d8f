"""The order of a payment's statuses: which one is later, which one is the last, and that none goes back."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

RANK: Mapping[str, int] = MappingProxyType(
    {
        "initiated": 1,
        "initiated_info_required": 2,
        "authorizing": 3,
        "authorized": 4,
        "processing": 5,
        "executed": 6,
        "settled": 9,
        "failed": 9,
        "rejected": 9,
    }
)
"""Executed stands below the final ones: the bank may still fail to settle what it has executed."""

FINAL = frozenset(status for status, rank in RANK.items() if rank == max(RANK.values()))


def moves_forward(old: str | None, new: str) -> bool:
    """Whether `new` is news for a payment last known as `old`; None when nothing is known of it yet.

    A status that nobody described lies somewhere between the first and the final ones: it is news itself, and it
    keeps none of the described ones from being news.
    """
    if old is None:
        return True
    if old == new or old in FINAL:
        return False
    if old in RANK and new in RANK:
        return RANK[new] > RANK[old]
    return True
