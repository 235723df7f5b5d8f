"""What the project asks for, and what that needs in turn, as it is installed here."""

from __future__ import annotations

import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]


def asked_for(group: str) -> set[Requirement]:
    """The requirements of a group, and of the project's own extras that it names."""
    lines = PROJECT["dependencies"] if group == "dependencies" else PROJECT["optional-dependencies"][group]
    found = {Requirement(line) for line in lines}
    own = {one for one in found if one.name == PROJECT["name"]}
    return (found - own).union(*(asked_for(extra) for one in own for extra in one.extras))


def needed(*groups: str) -> set[str]:
    """The names of all packages that the groups lead to."""
    waiting = {(canonicalize_name(one.name), frozenset(one.extras)) for group in groups for one in asked_for(group)}
    seen = set(waiting)
    while waiting:
        name, extras = waiting.pop()
        for requirement in map(Requirement, _needs(name)):
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras or {""}):
                found = (canonicalize_name(requirement.name), frozenset(requirement.extras))
                waiting |= {found} - seen
                seen.add(found)
    return {name for name, _ in seen}


def _needs(name: str) -> list[str]:
    try:
        return requires(name) or []
    except PackageNotFoundError:  # not needed on this machine
        return []
