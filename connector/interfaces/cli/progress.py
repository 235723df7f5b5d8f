"""A progress line on the terminal for calls longer than a second."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from connector.interfaces.cli.language import localized

DELAY_SECONDS = 1.0
FRAME_SECONDS = 0.2
FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
CLEAR = "\r\033[K"


@contextmanager
def progress(what: str, typical: float) -> Iterator[None]:
    """Show the elapsed and the typical duration of `what`."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    thread = threading.Thread(target=_show, args=(what, typical, done), name="kontor-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _show(what: str, typical: float, done: threading.Event) -> None:
    started = time.monotonic()
    frame = 0
    if done.wait(DELAY_SECONDS):
        return
    while True:
        seconds = int(time.monotonic() - started)
        line = localized("progress", what=what, seconds=seconds)
        if typical > DELAY_SECONDS:
            line = localized("progress_of", what=what, seconds=seconds, typical=int(typical))
        sys.stderr.write(f"{CLEAR}{FRAMES[frame % len(FRAMES)]} {line}")
        sys.stderr.flush()
        if done.wait(FRAME_SECONDS):
            sys.stderr.write(CLEAR)
            sys.stderr.flush()
            return
        frame += 1
