"""Startup time of the command line, against an empty Python program."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS = 25
OPENED = """
from connector import Connector, Credential
with Connector().open(Credential("https://service.example", "bench-key")):
    pass
"""
BARE = "import httpx, pydantic; httpx.Client().close()"


def ratio(*arguments: str) -> float:
    """Measure `kontor ARGUMENTS` against `python -c pass`: the median over alternating runs."""
    return _ratio([sys.executable, "-c", "pass"], [str(Path(sys.executable).parent / "kontor"), *arguments])


def import_ratio() -> float:
    """Measure a Python program that opens a session against one that opens a client of httpx."""
    return _ratio([sys.executable, "-c", BARE], [sys.executable, "-c", OPENED])


def _ratio(empty: list[str], kontor: list[str]) -> float:
    for command in (empty, kontor):
        _seconds(command)  # warm-up: file cache, compiled manifests
    return statistics.median(_pair(empty, kontor, kontor_first=run % 2 == 1) for run in range(RUNS))


def _pair(empty: list[str], kontor: list[str], *, kontor_first: bool) -> float:
    """Return one ratio. The order alternates, so that a machine that gets slower favours neither."""
    if kontor_first:
        ours = _seconds(kontor)
        return ours / _seconds(empty)
    bare = _seconds(empty)
    return _seconds(kontor) / bare


def _seconds(command: list[str]) -> float:
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started
