"""How long the command line takes to start, against an empty Python program."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS = 25


def ratio(*arguments: str) -> float:
    """`kontor ARGUMENTS` against `python -c pass`: the median over pairs that stand next to each other in time."""
    kontor = [str(Path(sys.executable).parent / "kontor"), *arguments]
    empty = [sys.executable, "-c", "pass"]
    for command in (empty, kontor):
        _seconds(command)  # files into the cache, manifests compiled
    return statistics.median(_pair(empty, kontor, turned=run % 2 == 1) for run in range(RUNS))


def _pair(empty: list[str], kontor: list[str], *, turned: bool) -> float:
    """One ratio. The order alternates, so that a machine getting slower favours neither."""
    if turned:
        ours = _seconds(kontor)
        return ours / _seconds(empty)
    bare = _seconds(empty)
    return _seconds(kontor) / bare


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started
