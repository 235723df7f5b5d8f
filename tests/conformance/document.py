"""Writes docs/conformance.md from the statements and from the markers of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import PurePosixPath

from tests.conformance.source import Quotation
from tests.conformance.statements import FACES, ROOT, Proof, Statement, proofs, statements

DOCUMENT = ROOT / "docs" / "conformance.md"
NONE = "–"
HEAD = """\
# What the service's description says, and where it is kept

Every sentence and every table row of the service's description is quoted here word for word, with its line and under
the description's own headings: where Kontor honours it (and where the sandbox plays it), which tests prove it, and what
is assumed where it leaves something open. An assumption with a dot is a wire name of
[manifests/wire.yaml](../manifests/wire.yaml), which a file can override; the others are explained in
[assumptions.md](assumptions.md).

Before each test stands what it goes through. The faces of Kontor are {faces}.
A test of the client, the core or the sandbox, of the form of a declaration (shape), or a case of `tests/cases`, which
Python and the TypeScript core both run without a session and a socket around it, does not count alone.

This file is written by `make conformance` from `tests/conformance/statements.yaml` and from the marks at tests
(`@pytest.mark.conforms`) and cases (`conforms:`). Do not edit it by hand: a test compares.
"""


def document() -> str:
    """The whole text."""
    return "\n".join([HEAD.replace("{faces}", ", ".join(sorted(FACES))), _summary(), *_sections()]) + "\n"


def _summary() -> str:
    every = statements()
    unmet, unreachable, nothing = (
        sum(bool(getattr(one, name)) for one in every) for name in ("unmet", "unreachable", "nothing_to_do")
    )
    proven = sum(one.is_through_a_face and not (one.unmet or one.unreachable) for one in every)
    return (
        f"{len(every)} statements: {proven} through a face, {unreachable} not reachable from here with a reason, "
        f"{unmet} unmet, {nothing} that ask nothing of a client.\n"
    )


def _sections() -> Iterator[str]:
    for heading, rows in groupby(statements(), key=lambda one: one.heading):
        yield f"## {heading}\n"
        yield "| what it says, by line | honoured in | tested by | assumed |"
        yield "|---|---|---|---|"
        yield from (_row(one) for one in rows)
        yield ""


def _row(statement: Statement) -> str:
    honoured = [_link(path) for path in statement.honoured]
    reasons = {
        "not reachable from here": statement.unreachable,
        "unmet": statement.unmet,
        "nothing to do": statement.nothing_to_do,
    }
    honoured += [f"**{what}**: {why}" for what, why in reasons.items() if why]
    cells = (
        [*(_quoted(quotation) for quotation in statement.says), f"`{statement.id}`"],
        honoured,
        [_proof(one) for one in proofs().get(statement.id, ())],
        [_assumption(name) for name in statement.assumed],
    )
    return f"| {' | '.join('<br>'.join(cell) or NONE for cell in cells)} |"


def _quoted(quotation: Quotation) -> str:
    return f"{quotation.line}: “{quotation.text.replace('|', chr(92) + '|')}”"


def _proof(proof: Proof) -> str:
    name = proof.name.removeprefix("test_").replace("_", " ") if proof.file.endswith(".py") else proof.name
    return f"{', '.join(proof.ways)}: [{PurePosixPath(proof.file).stem}](../{proof.file}), {_escaped(name)}"


def _link(path: str) -> str:
    return f"[{path}](../{path})"


def _assumption(name: str) -> str:
    if name.startswith("#"):
        return f"[{name.removeprefix('#').replace('-', ' ')}](assumptions.md{name})"
    return f"[{name}](../manifests/wire.yaml)"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")
