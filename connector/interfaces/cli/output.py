"""What goes to the terminal: tables with aligned columns, and the one JSON document of `--json`."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from connector.interfaces.cli.paint import paint

LEAST_CELL = 12
"""A column is not made narrower than this to fit the terminal."""


def harmless(text: str) -> str:
    """The text in one line and without control characters: words of the service must not steer the terminal."""
    return text if text.isprintable() else "".join(sign if sign.isprintable() else " " for sign in text)


def terminal_width() -> int | None:
    """How wide the terminal is; None when the output goes elsewhere and need not fit."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns if sys.stdout.isatty() else None
    except (OSError, ValueError):
        return None


def table(
    rows: Iterable[Sequence[str]], *, right: Collection[int] = (), indent: str = "  ", within: int | None = None
) -> list[str]:
    """The rows as lines with aligned columns; those in `right` are flush right. `within` bounds the width."""
    cells = [list(map(harmless, row)) for row in rows]
    if not cells:
        return []
    widths = [max(len(row[i]) for row in cells if i < len(row)) for i in range(max(map(len, cells)))]
    while within and len(indent) + sum(widths) + 2 * (len(widths) - 1) > within:
        widest = max((i for i in range(len(widths)) if i not in right), key=widths.__getitem__, default=None)
        if widest is None or widths[widest] <= LEAST_CELL:
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
    """Prints rows with aligned columns, under a header if there is one."""
    lines = table([header, *rows] if header else rows, right=right, indent=indent, within=terminal_width())
    if header and lines:
        print(paint(lines.pop(0), "dim"))
    for line in lines:
        print(line)


def print_json(value: Any) -> None:
    """Prints one JSON document, exact numbers included."""
    from connector.core.values import json

    sys.stdout.write(json.encode(value).decode() + "\n")
    sys.stdout.flush()


def pretty_json(value: Any) -> str:
    """A value as JSON over several lines, for people."""
    import msgspec

    from connector.core.values import json

    return msgspec.json.format(json.encode(value), indent=2).decode()
