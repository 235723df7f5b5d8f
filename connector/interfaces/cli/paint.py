"""Colours for the terminal."""

from __future__ import annotations

import os
import sys

COLOURS = {"red": "31", "green": "32", "yellow": "33", "dim": "2", "bold": "1"}


def paint(text: str, colour: str, stream: object = None) -> str:
    """Colours text for a terminal, and leaves it alone for files, pipes and `NO_COLOR`."""
    target = stream or sys.stdout
    if os.environ.get("NO_COLOR") or not getattr(target, "isatty", lambda: False)():
        return text
    return f"\033[{COLOURS[colour]}m{text}\033[0m"
