"""Packages from npm for the tests, as the lock files name them, installed into a folder outside of `node_modules`.

`npm_locks/` and the exports hold what is installed, by name and exact version (`connector/export/node/npm_lock.py` says
how it is written). A set goes into `KONTOR_NODE_CACHE` or `~/.cache/kontor-node` at first use. One that cannot be
installed is not tried again in the same run of pytest: whatever else needs it says at once why.

As a program: `npm.py install NAME…` does that before the tests and says what it takes; `npm.py renew [NAME…]` resolves
the dependencies anew that the lock files begin with, and writes all versions that npm has chosen.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import IO, Any

from connector.export.node import npm_lock
from tests.platforms.node import Node, Unavailable, find_node, room

ROOT = Path(__file__).parents[2]
SETS = {
    **{path.stem: path for path in sorted((Path(__file__).parent / "npm_locks").glob("*.json"))},
    "n8n-package": ROOT / "connector/export/n8n/npm-lock.json",
    "zapier": ROOT / "connector/export/zapier/npm-lock.json",
    "activepieces": ROOT / "connector/export/activepieces/npm-lock.json",
}
"""Every lock file, by the name of the folder that its packages go into."""
FLAGS = ("--legacy-peer-deps", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier")
INSTALL_SECONDS = 900
PROGRESS_SECONDS = 10.0
FETCHED = re.compile(r"npm http (?:cache |fetch GET 200 https?://[^/]+/)((?:@[^/\s]+(?:/|%2f))?[^/\s@]+)")
MISSING = re.compile(r"npm http fetch GET 404 https?://[^/]+/(\S+)")
ERROR = re.compile(r"^npm (?:error|ERR!) (?!A complete log)(\S.*)$", re.MULTILINE)
END = ""
OWN_RUN = uuid.uuid4().hex
"""The run of a process that has no other workers beside it."""
Say = Callable[[str], None]
Step = Callable[[Node, Path, Say], None]


def installed(name: str, say: Say = print, then: Step | None = None) -> Path:
    """A folder whose `node_modules` hold a set of packages, installed at first use; `then` is a last step of that."""
    path = SETS[name]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    with room(name) as folder:
        marker, failure = folder / "installed.txt", folder / "failed.json"
        if marker.is_file() and marker.read_text() == digest:
            return folder
        if failure.is_file() and (known := json.loads(failure.read_text()))["run"] == _run_id():
            raise Unavailable(known["why"])
        try:
            _install(name, folder, say, then)
        except Unavailable as why:
            failure.write_text(json.dumps({"run": _run_id(), "why": str(why)}))
            raise
        failure.unlink(missing_ok=True)
        marker.write_text(digest)
        return folder


def _run_id() -> str:
    """One for all workers of a run of pytest."""
    return os.environ.get("PYTEST_XDIST_TESTRUNUID") or OWN_RUN


def _install(name: str, folder: Path, say: Say, then: Step | None) -> None:
    begun = time.monotonic()
    node, lock = find_node(), npm_lock.read(SETS[name])
    say(f"npm installs {name}: {_direct(lock)}, with what they need {len(lock['packages'])} packages")
    described = _described(name, lock)
    (folder / "package.json").write_text(json.dumps(described, indent=2) + "\n")
    (folder / "package-lock.json").write_text(json.dumps(npm_lock.package_lock(described, lock), indent=1) + "\n")
    run([*node.npm, "ci", *FLAGS, "--loglevel=http"], node, folder, FETCHED, "fetched", say)
    if then is not None:
        then(node, folder, say)
    megabytes = sum(path.lstat().st_size for path in folder.rglob("*")) // 1_000_000
    say(f"npm installed {name}: {megabytes} MB in {time.monotonic() - begun:.0f} s, in {folder}")


def _direct(lock: npm_lock.Lock) -> str:
    return ", ".join(f"{name} {version}" for name, version in lock["dependencies"].items())


def _described(name: str, lock: npm_lock.Lock) -> dict[str, Any]:
    return {
        "name": f"kontor-{name}-check",
        "version": "0.0.0",
        "private": True,
        "dependencies": lock["dependencies"],
        "overrides": lock["overrides"],
    }


def run(command: list[str], node: Node, folder: Path, sign: re.Pattern[str], verb: str, say: Say) -> None:
    """Runs a step. Every few seconds it says how far the step has come, as the step's own output shows it."""
    process = subprocess.Popen(
        command, cwd=folder, env=node.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    lines: Queue[str] = Queue()
    Thread(target=_pass_on, args=(process.stdout, lines), daemon=True).start()
    begun = spoken = time.monotonic()
    output, count, now = ["\n"], 0, "…"
    while output[-1] != END:
        with suppress(Empty):
            output.append(lines.get(timeout=PROGRESS_SECONDS))
            if found := sign.search(output[-1]):
                count, now = count + 1, found[1].replace("%2f", "/")
            if missing := MISSING.search(output[-1]):  # npm would fetch all the rest before it says so
                process.kill()
                raise Unavailable(f"npm cannot install {folder.name}: there is no {missing[1].replace('%2f', '/')}")
        if time.monotonic() - begun > INSTALL_SECONDS:
            process.kill()
        if time.monotonic() - spoken > PROGRESS_SECONDS:
            spoken = time.monotonic()
            minutes, seconds = divmod(int(spoken - begun), 60)
            say(f"    {minutes}:{seconds:02d}  {count} {verb}, now at {now}")
    if process.wait():
        told = ERROR.findall("".join(output)) or [line.rstrip() for line in output[-20:]]
        late = f" (given up after {INSTALL_SECONDS} s)" if time.monotonic() - begun > INSTALL_SECONDS else ""
        raise Unavailable(f"{' '.join(command[1:3])} failed in {folder}{late}:\n" + "\n".join(told[:12]))


def _pass_on(stream: IO[str], lines: Queue[str]) -> None:
    for line in stream:
        lines.put(line)
    lines.put(END)


def renew(name: str) -> None:
    """Resolves the dependencies of a lock file anew and writes the versions that npm has chosen."""
    path, node = SETS[name], find_node()
    described = _described(name, npm_lock.read(path))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "package.json").write_text(json.dumps(described))
        resolve = [*node.npm, "install", "--package-lock-only", "--omit-lockfile-registry-resolved", *FLAGS]
        run([*resolve, "--loglevel=http"], node, folder, FETCHED, "read", _say)
        lock = npm_lock.compact(json.loads((folder / "package-lock.json").read_text()), described)
    path.write_text(npm_lock.written(lock), encoding="utf-8")
    _say(f"{path.relative_to(ROOT)}: {_direct(lock)}, {len(lock['packages'])} packages")


def _say(text: str) -> None:
    print(text, flush=True)


def main(command: str, *names: str) -> None:
    """Installs or renews sets of packages."""
    for name in names or SETS:
        if command == "renew":
            renew(name)
        else:
            installed(name, _say)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Unavailable as why:
        sys.exit(str(why))
