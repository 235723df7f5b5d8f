"""Zapier's own engine for the tests: Node, its packages in a cache outside of the repository, and a running core."""

from __future__ import annotations

import json
import os
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.platforms.node import find_node, or_skip
from tests.platforms.npm import installed

HERE = Path(__file__).parent


def packages(name: str) -> Path:
    """A folder of `node_modules` with a set of packages, installed once."""
    with or_skip():
        return installed(name) / "node_modules"


def core() -> Path:
    """What the exported package itself asks for."""
    return packages("zapier")


class ZapierError(Exception):
    """What the engine reports instead of results."""

    def __init__(self, error: dict[str, str]) -> None:
        super().__init__(error["message"])
        self.name = error["name"]


class Engine:
    """A running core with one app; each call is what Zapier would execute.

    `hurry` is how many times as fast pauses pass.
    """

    def __init__(self, app: Path, auth: dict[str, str], hurry: int = 1) -> None:
        self.auth = auth
        # A module looks for packages beside itself only.
        if not (app / "node_modules").exists():
            (app / "node_modules").symlink_to(core())
        # In this mode the core checks what comes back, too: ids, their uniqueness, lists where lists belong.
        env = {"PATH": os.environ["PATH"], "NODE_ENV": "test", "HOME": str(app)}
        command = [find_node().program, str(HERE / "engine.mjs"), str(app / "index.js"), str(hurry)]
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
        return self.tell(event)

    def tell(self, event: dict[str, Any]) -> dict[str, Any]:
        """What the core answers to an event, whole."""
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
