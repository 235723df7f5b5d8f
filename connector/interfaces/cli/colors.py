"""Terminal colors."""

from __future__ import annotations

import os
import sys

COLORS = {"red": "31", "green": "32", "yellow": "33", "dim": "2", "bold": "1"}


def colored(text: str, color: str, stream: object = None) -> str:
    """Color text for a terminal; return it unchanged for files, pipes and `NO_COLOR`."""
    target = stream or sys.stdout
    if os.environ.get("NO_COLOR") or not getattr(target, "isatty", lambda: False)():
        return text
    return f"\033[{COLORS[color]}m{text}\033[0m"
