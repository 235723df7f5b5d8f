"""Names of modules and classes, in both languages, keep to docs/glossary.md; variables say what they hold."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "glossary.md"
ROOMS = ("connector", "sandbox", "bench", "actions", "triggers")
DECLARED = re.compile(r"^export (?:abstract )?(?:class|interface|type|function) (\w+)", re.MULTILINE)
CLASS = re.compile(r"^ *class (\w+)[:(\[]", re.MULTILINE)
ROW = re.compile(r"^\| ([a-z ]+) \| (.+?) \| ?(.*?) ?\|$", re.MULTILINE)
NAME = re.compile(r"[A-Za-z_]\w+")
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
EMPTY_NAMES = {"one", "found", "kept", "made", "told", "tell"}
"""They say of a value that there is one, and not what it is."""
NOT_YET = (
    *("bench", "connector/client", "connector/interfaces", "connector/runtime"),
    *("connector/store/database", "connector/store/runs", "connector/store/trust"),
    *(f"connector/export/{name}" for name in ("activepieces", "make", "n8n", "node", "node_red")),
    *(f"connector/export/{name}" for name in ("openapi", "power_automate", "zapier")),
    *("tests/conftest.py", "triggers"),
    *(f"tests/{name}" for name in ("cases", "client", "conformance", "export", "interfaces", "manifests")),
    *(f"tests/{name}" for name in ("platforms", "repository", "runtime")),
    *(f"tests/store/{name}" for name in ("database", "databases", "runs", "trust")),
)
"""Rooms whose variables are still to be named."""


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
        yield from ((place, name) for name in (DECLARED if path.suffix == ".ts" else CLASS).findall(text))


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


def test_variables_say_what_they_hold() -> None:
    assert [place for place in variables_named_emptily() if not is_in(place, NOT_YET)] == []


def test_rooms_whose_variables_are_named_are_held_to_it() -> None:
    places = variables_named_emptily()
    assert [room for room in NOT_YET if not any(is_in(place, [room]) for place in places)] == []


def is_in(place: str, rooms: Iterable[str]) -> bool:
    return any(place.startswith((f"{room}/", f"{room}:")) for room in rooms)


@cache
def variables_named_emptily() -> list[str]:
    """The place of each variable and parameter with an empty name; fields of classes may be keys of manifests."""
    paths = [path for room in (*ROOMS, "tests") for path in (ROOT / room).rglob("*.py")]
    return [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in paths
        if not {"build", "versions"} & set(path.parts)
        for line, name in _variables(ast.parse(path.read_text(encoding="utf-8")))
        if name in EMPTY_NAMES
    ]


def _variables(tree: ast.Module) -> Iterator[tuple[int, str]]:
    nodes = list(ast.walk(tree))
    bodies = [node.body for node in nodes if isinstance(node, ast.ClassDef)]
    fields = {id(line.target) for body in bodies for line in body if isinstance(line, ast.AnnAssign)}
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields:
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.lineno, node.name
