"""Writes docs/conformance.md from the statements and from the markers of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import PurePosixPath

from tests.conformance.statements import ROOT, Proof, Statement, proofs, statements

DOCUMENT = ROOT / "docs" / "conformance.md"
NONE = "–"
HEAD = """\
# What the service's description says, and where it is kept

Every statement of the service's description has a row, under the description's own headings: where Kontor honours it
(and where the sandbox plays it), which tests prove it, and what is assumed where it leaves something open. An
assumption with a dot is a wire name of [manifests/wire.yaml](../manifests/wire.yaml), which a file can override; the
others are explained in [assumptions.md](assumptions.md). A name behind a file of `tests/cases` is a case, which Python
and the TypeScript core both run.

This file is written by `make conformance` from `tests/conformance/statements.yaml` and from the marks at tests
(`@pytest.mark.conforms`) and cases (`conforms:`). Do not edit it by hand: a test compares.
"""


def document() -> str:
    """The whole text."""
    return "\n".join([HEAD, _summary(), *_sections()]) + "\n"


def _summary() -> str:
    every, found = statements(), proofs()
    tested = sum(one.id in found for one in every)
    assumed = sum(bool(one.assumed) for one in every)
    nothing = sum(bool(one.nothing_to_do) for one in every)
    return (
        f"{len(every)} statements: {tested} tested, {assumed} with an assumption, "
        f"{nothing} that ask nothing of a client.\n"
    )


def _sections() -> Iterator[str]:
    for heading, rows in groupby(statements(), key=lambda one: one.heading):
        yield f"## {heading}\n"
        yield "| statement | honoured in | tested by | assumed |"
        yield "|---|---|---|---|"
        yield from (_row(one) for one in rows)
        yield ""


def _row(statement: Statement) -> str:
    honoured = [_link(path) for path in statement.honoured]
    if statement.nothing_to_do:
        honoured = [f"nothing to do: {statement.nothing_to_do}"]
    cells = (
        [statement.says, f"`{statement.id}`"],
        honoured,
        [_proof(one) for one in proofs().get(statement.id, ())],
        [_assumption(name) for name in statement.assumed],
    )
    return f"| {' | '.join('<br>'.join(cell) or NONE for cell in cells)} |"


def _proof(proof: Proof) -> str:
    name = proof.name.removeprefix("test_").replace("_", " ") if proof.file.endswith(".py") else proof.name
    return f"[{PurePosixPath(proof.file).stem}](../{proof.file}): {_escaped(name)}"


def _link(path: str) -> str:
    return f"[{path}](../{path})"


def _assumption(name: str) -> str:
    if name.startswith("#"):
        return f"[{name.removeprefix('#').replace('-', ' ')}](assumptions.md{name})"
    return f"[{name}](../manifests/wire.yaml)"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
