"""What takes long and is the same for all workers of a run of tests is made by the first one that needs it."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Any]) -> Any:
    """Return what `make` makes in a folder, as JSON holds it. `name` is no other's."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return make(factory.mktemp(name))
    folder = factory.getbasetemp().parent / f"made-once-{name}"  # the workers' folders stand side by side
    folder.mkdir(exist_ok=True)
    result = folder / "result.json"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not result.exists():
            draft = folder / "draft.json"
            draft.write_text(json.dumps(make(folder)), encoding="utf-8")
            draft.rename(result)
    return json.loads(result.read_text(encoding="utf-8"))
