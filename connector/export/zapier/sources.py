"""Puts the JavaScript of an operation together: its own lines, and just those shared pieces that they use.

Zapier takes a function in a JSON app as text, and nothing is shared between two of them. So each piece is a file of its
own, named like the function or constant in it, and goes along where its name is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "javascript"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def literal(value: Any) -> str:
    """A value as JavaScript writes it."""
    return json.dumps(value, ensure_ascii=False)


def function(lines: str, constants: Mapping[str, Any], args: tuple[str, ...] = ("z", "bundle")) -> dict[str, Any]:
    """A function for the JSON app. `constants` may be used by name; those that are not used stay out."""
    used = _used(lines)
    pieces = [f"const {name} = {literal(value)};" for name, value in constants.items() if name in used]
    source = "\n".join([*pieces, *(text for name, text in _pieces().items() if name in used), lines.strip(), ""])
    return {"source": source} if args == ("z", "bundle") else {"source": source, "args": list(args)}


def part(kind: str, id: str) -> str | None:
    """The JavaScript that stands in for a handler's function, if there is one."""
    return _parts().get(f"{kind}/{id}")


def _used(lines: str) -> set[str]:
    """The names in these lines, and in the pieces that they use, and so on."""
    pieces, used, pending = _pieces(), set[str](), [lines]
    while pending:
        for name in _NAME.findall(pending.pop()):
            if name not in used:
                used.add(name)
                pending.append(pieces.get(name, ""))
    return used


@lru_cache(maxsize=1)
def _pieces() -> dict[str, str]:
    return {name.removeprefix("pieces/"): text for name, text in _parts().items() if name.startswith("pieces/")}


@lru_cache(maxsize=1)
def _parts() -> dict[str, str]:
    return {
        path.relative_to(FOLDER).with_suffix("").as_posix(): _without_comments(path.read_text(encoding="utf-8"))
        for path in sorted(FOLDER.rglob("*.js"))
    }


def _without_comments(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//")).strip()
