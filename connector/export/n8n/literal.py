"""Writes plain values as TypeScript literals, the way n8n's own linter likes to read them. Deterministic."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_IDENTIFIER = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


def literal(value: Any, depth: int = 0) -> str:
    """A value as TypeScript: objects over several lines, text in single quotes."""
    if isinstance(value, Mapping):
        return _block("{", "}", [f"{_key(name)}: {literal(inner, depth + 1)}" for name, inner in value.items()], depth)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Sequence):
        if all(isinstance(inner, str | int | float | bool) for inner in value):
            return f"[{', '.join(literal(inner) for inner in value)}]"
        return _block("[", "]", [literal(inner, depth + 1) for inner in value], depth)
    return json.dumps(value)


def _block(opening: str, closing: str, lines: list[str], depth: int) -> str:
    if not lines:
        return opening + closing
    indent = "\t" * (depth + 1)
    inner = "".join(f"{indent}{line},\n" for line in lines)
    return f"{opening}\n{inner}{indent[1:]}{closing}"


def _key(name: str) -> str:
    return name if _IDENTIFIER.fullmatch(name) else _text(name)


def _text(value: str) -> str:
    inner = json.dumps(value, ensure_ascii=False)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{inner}'"
