"""A line on the terminal while something takes longer than a second; gone when it is done."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from connector.interfaces.cli.language import tell

QUIET_SECONDS = 1.0
BETWEEN_FRAMES = 0.2
FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
CLEAR = "\r\033[K"


@contextmanager
def progress(what: str, typical: float) -> Iterator[None]:
    """Shows how long `what` has been running, against how long it usually takes."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    shower = threading.Thread(target=_show, args=(what, typical, done), name="kontor-progress", daemon=True)
    shower.start()
    try:
        yield
    finally:
        done.set()
        shower.join()


def _show(what: str, typical: float, done: threading.Event) -> None:
    started = time.monotonic()
    frame = 0
    if done.wait(QUIET_SECONDS):
        return
    while True:
        seconds = int(time.monotonic() - started)
        line = tell("progress", what=what, seconds=seconds)
        if typical > QUIET_SECONDS:
            line = tell("progress_of", what=what, seconds=seconds, typical=int(typical))
        sys.stderr.write(f"{CLEAR}{FRAMES[frame % len(FRAMES)]} {line}")
        sys.stderr.flush()
        if done.wait(BETWEEN_FRAMES):
            sys.stderr.write(CLEAR)
            sys.stderr.flush()
            return
        frame += 1
