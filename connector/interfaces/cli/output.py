"""Prints tables with aligned columns, the JSON document of `--json`, and the progress of long calls."""

from __future__ import annotations

import errno
import os
import select
import sys
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from connector.interfaces.cli.language import colored, localized

MIN_CELL_WIDTH = 12
"""Minimum column width when a table is shrunk to the terminal."""
DELAY_SECONDS = 1.0
FRAME_SECONDS = 0.2
FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
CLEAR = "\r\033[K"


class OutputLost(Exception):
    """What must not be lost could not be written to stdout; its text says what became of it, if that matters."""


@contextmanager
def must_arrive(otherwise: str, *, reader_stays: bool = False) -> Iterator[None]:
    """Print something that must not be lost; where it cannot be written, raise `OutputLost` with this text.

    With `reader_stays` also where the reader of a pipe has gone, who may have read it or not.
    """
    try:
        yield
        sys.stdout.flush()
        if reader_stays:
            _check_reader()
    except OSError as error:
        raise OutputLost(otherwise) from error


def _check_reader() -> None:
    """Raise when stdout is a pipe whose reader has gone: what stands in the pipe is read by nobody."""
    try:
        watched = select.poll()
        watched.register(sys.stdout.fileno(), 0)
    except (AttributeError, OSError, ValueError):  # a platform without it, or a stream without a file
        return
    if any(state & select.POLLERR for _, state in watched.poll(0)):
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def printable(text: str) -> str:
    """Replace control characters by blanks: texts of the service must not control the terminal."""
    return text if text.isprintable() else "".join(sign if sign.isprintable() else " " for sign in text)


def terminal_width() -> int | None:
    """Return the width of the terminal, or None if stdout is no terminal."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else None
    except (OSError, ValueError):
        return None


def table(
    rows: Iterable[Sequence[str]], *, right: Collection[int] = (), indent: str = "  ", within: int | None = None
) -> list[str]:
    """Format rows as lines with aligned columns; `right` lists right-aligned ones, `within` is the maximum width."""
    cells = [list(map(printable, row)) for row in rows]
    if not cells:
        return []
    widths = [max(len(row[i]) for row in cells if i < len(row)) for i in range(max(map(len, cells)))]
    while within and len(indent) + sum(widths) + 2 * (len(widths) - 1) > within:
        widest = max((i for i in range(len(widths)) if i not in right), key=widths.__getitem__, default=None)
        if widest is None or widths[widest] <= MIN_CELL_WIDTH:
            break
        widths[widest] -= 1
    return [
        indent + "  ".join(_cell(text, widths[i], flush_right=i in right) for i, text in enumerate(row)).rstrip()
        for row in cells
    ]


def _cell(text: str, width: int, *, flush_right: bool) -> str:
    if len(text) > width:
        text = text[: width - 1] + "…"
    return text.rjust(width) if flush_right else text.ljust(width)


def print_table(
    rows: Iterable[Sequence[str]], *, header: Sequence[str] = (), right: Collection[int] = (), indent: str = "  "
) -> None:
    """Print rows with aligned columns and an optional header."""
    lines = table([header, *rows] if header else rows, right=right, indent=indent, within=terminal_width())
    if header and lines:
        print(colored(lines.pop(0), "dim"))
    for line in lines:
        print(line)


def print_json(value: Any) -> None:
    """Print one JSON document with exact numbers."""
    from connector.core.values import json

    sys.stdout.write(json.encode(value).decode() + "\n")
    sys.stdout.flush()


def pretty_json(value: Any) -> str:
    """Format a value as indented JSON."""
    import msgspec

    from connector.core.values import json

    return msgspec.json.format(json.encode(value), indent=2).decode()


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
