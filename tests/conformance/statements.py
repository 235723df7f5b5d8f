"""Reads the statements, and finds the tests and cases that are marked with them, without running any."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from tests.conformance.source import Quotation

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
STATEMENTS = Path(__file__).with_name("statements.yaml")
MARKER = "conforms"
CALLS_OF_FACE = {
    "delivery": {"fired", "deliver", "deliveries"},
    "poll": {"poll"},
    "lookup": {"options"},
    "invoke": {"invoke"},
}
"""The faces that a test may go through anywhere, and the calls that go through them: of a session, or of a host."""
WAY_OF_PLACE = {
    "tests/sandbox/": "sandbox",
    "tests/client/": "client",
    "tests/core/": "core",
    "tests/manifests/triggers/": "core",
    "tests/manifests/": "shape",
    "tests/export/": "export",
    "tests/interfaces/host/": "host",
    "tests/interfaces/cli/": "command line",
    "tests/interfaces/console/": "console",
    "tests/interfaces/mcp/": "mcp",
}
"""What the tests of a folder go through, whatever they call."""
CASE, SHAPE = "case", "shape"
WAY_OF_SECTION = {"writes": "invoke"}
"""A write is run through a session and a service on this machine. The other cases run what `invoke`, `poll` and
`options` share with the Node packages (inputs, request, answer, page, event), without session, store and socket."""
FACES = {*CALLS_OF_FACE, "export", "host", "command line", "console", "mcp"}
"""What counts: a statement that is proven only by its form, by the client or the sandbox alone is not proven."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TextLoader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""Reads every value as text: cases hold days that there are not."""


@dataclass(frozen=True)
class Statement:
    """One thing that the service's description says, or leaves open."""

    id: str
    heading: str
    says: tuple[Quotation, ...]
    honoured: tuple[str, ...]
    assumed: tuple[str, ...]
    """Wire names, or with a leading # headings of docs/assumptions.md."""
    unreachable: str
    unmet: str
    nothing_to_do: str

    @property
    def is_through_a_face(self) -> bool:
        """Whether a test that proves it goes through a face."""
        return any(FACES.intersection(proof.ways) for proof in proofs().get(self.id, ()))


@dataclass(frozen=True)
class Proof:
    """A test or a case that is marked with a statement, and what it goes through."""

    file: str
    name: str
    ways: tuple[str, ...]


@cache
def statements() -> tuple[Statement, ...]:
    """Every statement, in the order of the description."""
    tree: Mapping[str, Mapping[str, Mapping[str, Any]]] = yaml.load(STATEMENTS.read_text(encoding="utf-8"), _Loader)
    return tuple(
        Statement(
            id,
            heading,
            tuple(_quotations(body["says"])),
            tuple(body.get("honoured", ())),
            tuple(body.get("assumed", ())),
            *(body.get(name, "") for name in ("unreachable", "unmet", "nothing_to_do")),
        )
        for heading, rows in tree.items()
        for id, body in rows.items()
    )


def _quotations(says: Mapping[int, str | list[str]]) -> Iterator[Quotation]:
    for line, parts in says.items():
        yield from (Quotation(line, part) for part in ([parts] if isinstance(parts, str) else parts))


@cache
def proofs() -> Mapping[str, tuple[Proof, ...]]:
    """By the id of a statement, what is marked with it."""
    found: defaultdict[str, list[Proof]] = defaultdict(list)
    for id, proof in (*_marked_tests(), *_marked_cases()):
        found[id].append(proof)
    return {id: tuple(sorted(ones, key=lambda one: (one.file, one.name))) for id, ones in found.items()}


def _marked_tests() -> Iterator[tuple[str, Proof]]:
    for path, text in _mentioning(f"mark.{MARKER}(", "test_*.py"):
        own = _definitions(text)
        beside = (ROOT / path).with_name("conftest.py")
        named = {**(_definitions(beside.read_text(encoding="utf-8")) if beside.exists() else {}), **own}
        for name, node in own.items():
            if isinstance(node, _FUNCTIONS) and name.startswith("test_"):
                for id in _marks(node):
                    yield id, Proof(path, name, _ways(path, node, named))


def _definitions(text: str) -> dict[str, ast.AST]:
    return {node.name: node for node in ast.parse(text).body if isinstance(node, _DEFINITIONS)}


def _ways(path: str, test: ast.AST, named: Mapping[str, ast.AST]) -> tuple[str, ...]:
    """Where it stands decides; else the faces that it calls, itself or through helpers and fixtures beside it."""
    for place, way in WAY_OF_PLACE.items():
        if path.startswith(place):
            return (way,)
    called = _called(test, named, set())
    return tuple(face for face, calls in CALLS_OF_FACE.items() if called & calls) or (SHAPE,)


def _called(node: ast.AST, named: Mapping[str, ast.AST], seen: set[str]) -> set[str]:
    """The methods that it calls, and those that the functions, fixtures and classes it names call in turn."""
    found: set[str] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute):
            found.add(inner.func.attr)
        name = inner.id if isinstance(inner, ast.Name) else inner.arg if isinstance(inner, ast.arg) else ""
        if name in named and name not in seen:
            seen.add(name)
            found |= _called(named[name], named, seen)
    return found


def _marks(test: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """The ids in the markers of a test; they must be plain texts, since nothing is run."""
    for mark in test.decorator_list:
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Attribute) and mark.func.attr == MARKER:
            for argument in mark.args:
                yield str(ast.literal_eval(argument))


def _marked_cases() -> Iterator[tuple[str, Proof]]:
    for path, text in _mentioning(f"{MARKER}: [", "cases/*.yaml"):
        tree = yaml.load(text, _TextLoader)
        for section, cases in tree.items():
            for case in cases if isinstance(cases, list) else ():
                for id in case.get(MARKER, ()):
                    yield id, Proof(path, case["name"], (WAY_OF_SECTION.get(section, CASE),))


def _mentioning(text: str, pattern: str) -> Iterator[tuple[str, str]]:
    """The files below tests/ that hold a text, by their path in the repository."""
    for path in sorted(TESTS.rglob(pattern)):
        content = path.read_text(encoding="utf-8")
        if text in content:
            yield path.relative_to(ROOT).as_posix(), content
