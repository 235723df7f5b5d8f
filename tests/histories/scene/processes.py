"""Processes that a history starts, stops, continues and kills."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
from collections.abc import Mapping
from pathlib import Path


def unused_port() -> int:
    """Return a port of this machine on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def descendants(pid: int) -> list[int]:
    """Return the process and all its descendants, the process itself first."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            after_name = stat.read_text().rpartition(")")[2].split()
            parents.setdefault(int(after_name[1]), []).append(int(stat.parent.name))
    pids, waiting = [], [pid]
    while waiting:
        pids.append(waiting.pop())
        waiting += parents.get(pids[-1], [])
    return pids


def signal_all(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process and all its descendants."""
    for descendant in descendants(pid):
        with contextlib.suppress(ProcessLookupError):
            os.kill(descendant, number)


def clean_environment(source: Path, **more: str) -> dict[str, str]:
    """Return the environment of a process that runs Kontor as it stands in `source`."""
    inherited: Mapping[str, str] = os.environ
    own = {name: value for name, value in inherited.items() if not name.startswith(("KONTOR_", "FAKETIME"))}
    return {**own, "PYTHONPATH": str(source), "PYTHONUNBUFFERED": "1", "PYTHONFAULTHANDLER": "1", **more}
