"""Test fixture: waits until something holds."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(true: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.2)
