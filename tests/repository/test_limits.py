"""`docs/security.md` shows every limit on callers as `connector/core/limits.py` has it, and each one is used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from connector.core import limits

ROOT = Path(__file__).parents[2]
MODULE = ROOT / "connector" / "core" / "limits.py"
PAGE = ROOT / "docs" / "security.md"
BEGIN, END = "## Limits on what callers may send and hold\n", "\n## "
GROUP = re.compile(r"^# ([A-Z].*?)[.:]", re.MULTILINE)
UNITS = {"KILOBYTE", "MEGABYTE"}


def rows() -> Iterator[str]:
    """The rows of the table, each group of the module below its heading."""
    text = MODULE.read_text(encoding="utf-8")
    groups = {text[: found.start()].count("\n") + 1: found[1] for found in GROUP.finditer(text)}
    body = ast.parse(text).body
    for node, told in pairwise(body):
        if not (isinstance(node, ast.Assign) and isinstance(target := node.targets[0], ast.Name)):
            continue
        assert isinstance(told, ast.Expr), f"{target.id} has no reason"
        above = [line for line in groups if line < node.lineno]
        if above:
            yield f"| **{groups.pop(max(above))}** | | |"
            groups = {line: name for line, name in groups.items() if line > node.lineno}
        reason = " ".join(str(ast.literal_eval(told.value)).split())
        yield f"| `{target.id}` | {written(target.id, getattr(limits, target.id))} | {reason} |"


def written(name: str, value: float) -> str:
    """A limit as people write it."""
    if "BYTE" in name:
        for unit, size in (("MB", limits.MEGABYTE), ("KB", limits.KILOBYTE)):
            if value % size == 0:
                return f"{value // size} {unit}"
    return f"{value:g}" if isinstance(value, float) else f"{value:,}"


def test_the_page_shows_every_limit_with_its_reason() -> None:
    page = PAGE.read_text(encoding="utf-8")
    shown = [line for line in page.partition(BEGIN)[2].partition(END)[0].splitlines() if line.startswith("| ")]
    assert len(shown) > 50
    assert shown[1:] == list(rows())


def test_every_limit_is_used_somewhere() -> None:
    code = [path.read_text(encoding="utf-8") for path in (ROOT / "connector").rglob("*.py") if path != MODULE]
    used = {name for text in code for name in re.findall(r"limits(?:\.| import )([A-Z_]+)\b", text)}
    assert {name for name in vars(limits) if name.isupper()} - UNITS - used == set()
