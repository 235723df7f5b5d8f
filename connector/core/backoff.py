"""How long to wait after failures: ever longer, up to a bound, and not in step with others who failed together."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

AROUND = (0.9, 1.1)
"""A pause varies by a tenth unless the caller says otherwise."""
MAX_DOUBLINGS = 64


def doubled(failures: int, *, first: float, longest: float) -> float:
    """The seconds after the first, second, … failure in a row: `first`, then twice as long each time."""
    return min(first * 2.0 ** min(failures - 1, MAX_DOUBLINGS), longest)


def listed(failures: int, pauses: Sequence[float]) -> float | None:
    """The seconds after the first, second, … failure in a row, from a list; None when there have been enough."""
    return pauses[failures - 1] if failures <= len(pauses) else None


def jittered(seconds: float, between: tuple[float, float] = AROUND, dice: Callable[[], float] = random.random) -> float:
    """About so many seconds: a share of them between these two."""
    least, most = between
    return seconds * (least + (most - least) * dice())
