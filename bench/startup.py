"""How long the command line takes to start, against an empty Python program."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS = 25


def ratio(*arguments: str) -> float:
    """`kontor ARGUMENTS` against `python -c pass`; the median of pairs that stand next to each other in time."""
    kontor = str(Path(sys.executable).parent / "kontor")
    commands = [[sys.executable, "-c", "pass"], [kontor, *arguments]]
    for command in commands:
        _seconds(command)
    pairs = [[_seconds(command) for command in commands] for _ in range(RUNS)]
    bare, ours = (statistics.median(column) for column in zip(*pairs, strict=True))
    return ours / bare


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started
