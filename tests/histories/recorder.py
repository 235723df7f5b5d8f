"""Writes all that happens in a history to a file of JSON Lines, from many threads."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any


class Recorder:
    """One line per event, each with its time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("w", encoding="utf-8")
        self._lock = threading.Lock()
        self._numbers = 0
        self.now: Callable[[], float] = time.time
        """The clock; the sandbox's, once it runs, so that its times and ours can be compared exactly."""

    def record(self, event: str, **fields: Any) -> None:
        line = json.dumps({"event": event, "at": self.now(), **fields}, default=str, ensure_ascii=False)
        with self._lock:
            if not self._file.closed:
                self._file.write(f"{line}\n")
                self._file.flush()

    def next_number(self) -> int:
        """Return the number of the next operation."""
        with self._lock:
            self._numbers += 1
            return self._numbers

    def record_execution(self, execution: dict[str, Any]) -> None:
        """Record what the sandbox says of an executed write."""
        request = execution["request"]
        self.record(
            "execution",
            sequence=execution["sequence"],
            arrived=_unix(request["at"]),
            executed=_unix(execution["executed_at"]),
            path=request["path"],
            body=request["body"],
            api_key=request["key"],
            answered=request["status"],
            fault=request["fault"],
            result=execution["result"],
        )

    def close(self) -> None:
        with self._lock:
            self._file.close()


def _unix(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
