"""The cases of the package's own manifests, and of those that only the cases have."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from connector.testing.cases.files import Case, read

FOLDER = Path(__file__).parent
FURTHER = FOLDER / "further"
"""Manifests of a user, with what the vocabulary offers and none of ours uses; their cases stand beside them."""


def files() -> dict[str, Path]:
    """Every file of cases, by the id of its manifest."""
    return {path.stem: path for path in sorted([*FOLDER.glob("*.yaml"), *FURTHER.glob("*.yaml")])}


@cache
def all_cases() -> tuple[Case, ...]:
    """Every case of every file."""
    return tuple(case for path in files().values() for case in read(path))
