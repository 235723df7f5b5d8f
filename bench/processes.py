"""Servers that run in processes of their own while something is measured."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator, Mapping


@contextlib.contextmanager
def process(command: list[str], env: Mapping[str, str] | None = None) -> Iterator[str]:
    """Run a process, and yield the first line it prints."""
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def module(name: str, *arguments: str) -> contextlib.AbstractContextManager[str]:
    """Run a module of this package that prints its base URL."""
    return process([sys.executable, "-m", f"bench.{name}", *arguments])
