"""The names of modules and classes, in both languages, keep to the words of docs/glossary.md."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "glossary.md"
ROOMS = ("connector", "sandbox", "bench", "actions", "triggers")
DECLARED = re.compile(r"^export (?:abstract )?(?:class|interface|type|function) (\w+)", re.MULTILINE)
ROW = re.compile(r"^\| ([a-z ]+) \| (.+?) \| ?(.*?) ?\|$", re.MULTILINE)
NAME = re.compile(r"[A-Za-z_]\w+")
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def words_of(name: str) -> list[str]:
    """The words of a name, each in the singular too."""
    words = [word.lower() for word in PARTS.findall(name)]
    return [
        *words,
        *(word.removesuffix("s") for word in words),
        *(f"{word[:-3]}y" for word in words if word[-3:] == "ies"),
    ]


def names() -> Iterator[tuple[str, str]]:
    """Each module and class with its place."""
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.*")):
        place = str(path.relative_to(ROOT))
        if path.suffix not in (".py", ".ts") or "/build/" in place or "/versions/" in place:
            continue
        yield place, path.parent.name if path.stem in ("__init__", "__main__") else path.stem
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ts":
            yield from ((place, name) for name in DECLARED.findall(text))
        else:
            yield from ((place, node.name) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef))


def glossary() -> dict[str, list[str]]:
    """Each word with those that are not used for it."""
    rows = {word: others for word, _, others in ROW.findall(PAGE.read_text(encoding="utf-8")) if word != "word"}
    return {word: [other for other in others.split(", ") if other] for word, others in rows.items()}


def test_every_word_has_one_row_and_no_other_word_is_one() -> None:
    rows = [word for word, _, _ in ROW.findall(PAGE.read_text(encoding="utf-8"))]
    assert len(rows) > 50
    assert sorted(rows[1:]) == rows[1:]
    assert len(set(rows)) == len(rows)
    assert not set(rows) & {other for others in glossary().values() for other in others}


def test_no_module_and_no_class_is_named_by_another_word() -> None:
    avoided = {other for others in glossary().values() for other in others if " " not in other}
    assert [(place, name) for place, name in names() if avoided & set(words_of(name))] == []


def test_every_word_is_in_use() -> None:
    sources = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    used = {word for path in sources for name in set(NAME.findall(path.read_text("utf-8"))) for word in words_of(name)}
    assert [word for word in glossary() if word not in used] == []
