"""A platform's engine in a process of its own: an order is a line of JSON, and so is its answer."""

from __future__ import annotations

import json
import os
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.platforms.node import find_node

HERE = Path(__file__).parent
MARK = "@@"


class EngineProcess:
    """A running engine."""

    def __init__(self, script: str, folder: Path, *arguments: str) -> None:
        env = {name: value for name, value in os.environ.items() if not name.startswith(("KONTOR_", "NODE_RED"))}
        self._process = subprocess.Popen(
            [find_node().program, str(HERE / script), *arguments],
            cwd=folder,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self.ready = self._hear()

    def ask(self, do: str, **more: Any) -> dict[str, Any]:
        """The answer to an order, `ok` or not."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, **more}, default=_number) + "\n")
        self._process.stdin.flush()
        return self._hear()

    def do(self, order: str, **more: Any) -> dict[str, Any]:
        """The answer to an order that must not fail."""
        answer = self.ask(order, **more)
        assert answer["ok"], answer["error"]
        return answer

    def _hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.startswith(MARK):
                heard: dict[str, Any] = json.loads(line.removeprefix(MARK), parse_float=Decimal)
                return heard
        raise AssertionError("the engine has ended")

    def kill(self) -> None:
        """Ends it without a word, as a power cut does."""
        self._process.kill()
        self._end()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._end()

    def _end(self) -> None:
        assert self._process.stdout is not None
        self._process.wait(20)
        self._process.stdout.close()


def _number(value: Any) -> Any:
    return float(value) if isinstance(value, Decimal) else str(value)
