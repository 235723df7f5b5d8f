"""A part of a long list of tests: CI tries another part each time, `make test-cases` and others try all by hand.

`KONTOR_TEST_PARTS` is the number of parts, `KONTOR_TEST_SEED` says which one; as many seeds in a row as there are parts
are the whole. While one works on a file, `KONTOR_TEST_FILES=cursor,window` tries only changes in files so named.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")
PARTS = int(os.environ.get("KONTOR_TEST_PARTS") or 1)
SEED = int(os.environ.get("KONTOR_TEST_SEED") or 0)
FILES = [name for name in os.environ.get("KONTOR_TEST_FILES", "").split(",") if name]
WHOLE = PARTS == 1 and not FILES


def part(items: Sequence[T]) -> list[T]:
    """Those whose turn it is."""
    return list(items[SEED % PARTS :: PARTS])


def in_chosen_file(path: str) -> bool:
    """Whether changes in this file are tried."""
    return not FILES or Path(path).stem in FILES


def which() -> str:
    """How to run the same part again."""
    return "everything" if WHOLE else f"one of {PARTS} parts: PARTS={PARTS} SEED={SEED}"
