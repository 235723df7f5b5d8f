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

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
STATEMENTS = Path(__file__).with_name("statements.yaml")
MARKER = "conforms"
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_TextLoader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""Reads every value as text: cases hold days that there are not."""


@dataclass(frozen=True)
class Statement:
    """One thing that the service's description says, or leaves open."""

    id: str
    heading: str
    says: str
    source: tuple[str, ...]
    """Short pieces of the sentences and rows that say it."""
    honoured: tuple[str, ...]
    assumed: tuple[str, ...]
    """Wire names, or with a leading # headings of docs/assumptions.md."""
    nothing_to_do: str


@dataclass(frozen=True)
class Proof:
    """A test or a case that is marked with a statement."""

    file: str
    name: str


@cache
def statements() -> tuple[Statement, ...]:
    """Every statement, in the order of the description."""
    tree: Mapping[str, Mapping[str, Mapping[str, Any]]] = yaml.load(STATEMENTS.read_text(encoding="utf-8"), _Loader)
    return tuple(
        Statement(
            id,
            heading,
            body["says"],
            tuple(body["source"]),
            tuple(body.get("honoured", ())),
            tuple(body.get("assumed", ())),
            body.get("nothing_to_do", ""),
        )
        for heading, rows in tree.items()
        for id, body in rows.items()
    )


@cache
def proofs() -> Mapping[str, tuple[Proof, ...]]:
    """By the id of a statement, what is marked with it."""
    found: defaultdict[str, list[Proof]] = defaultdict(list)
    for id, proof in (*_marked_tests(), *_marked_cases()):
        found[id].append(proof)
    return {id: tuple(sorted(ones, key=lambda one: (one.file, one.name))) for id, ones in found.items()}


def _marked_tests() -> Iterator[tuple[str, Proof]]:
    for path, text in _mentioning(f"mark.{MARKER}(", "test_*.py"):
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                for id in _marks(node):
                    yield id, Proof(path, node.name)


def _marks(test: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    """The ids in the markers of a test; they must be plain texts, since nothing is run."""
    for mark in test.decorator_list:
        if isinstance(mark, ast.Call) and isinstance(mark.func, ast.Attribute) and mark.func.attr == MARKER:
            for argument in mark.args:
                yield str(ast.literal_eval(argument))


def _marked_cases() -> Iterator[tuple[str, Proof]]:
    for path, text in _mentioning(f"{MARKER}: [", "cases/*.yaml"):
        tree = yaml.load(text, _TextLoader)
        for section in tree.values():
            for case in section if isinstance(section, list) else ():
                for id in case.get(MARKER, ()):
                    yield id, Proof(path, case["name"])


def _mentioning(text: str, pattern: str) -> Iterator[tuple[str, str]]:
    """The files below tests/ that hold a text, by their path in the repository."""
    for path in sorted(TESTS.rglob(pattern)):
        content = path.read_text(encoding="utf-8")
        if text in content:
            yield path.relative_to(ROOT).as_posix(), content
