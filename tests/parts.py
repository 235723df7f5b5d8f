"""A part of a long list of tests: CI tries another part each time, `make test-cases` and others try all by hand.

`KONTOR_TEST_PARTS` is the number of parts, `KONTOR_TEST_SEED` says which one; as many seeds in a row as there are parts
are the whole.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
PARTS = int(os.environ.get("KONTOR_TEST_PARTS") or 1)
SEED = int(os.environ.get("KONTOR_TEST_SEED") or 0)
WHOLE = PARTS == 1


def part(items: Sequence[T]) -> list[T]:
    """Those whose turn it is."""
    return list(items[SEED % PARTS :: PARTS])


def which() -> str:
    """How to run the same part again."""
    return "everything" if WHOLE else f"one of {PARTS} parts: PARTS={PARTS} SEED={SEED}"
