"""`constraints.txt` fixes a version of everything that the tests install, within the bounds of pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINES = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
FIXED = {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in LINES)}


def test_every_line_is_a_name_and_a_version() -> None:
    assert [line for line in LINES if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.+!]*", line)] == []
    assert len(FIXED) == len(LINES)


def test_what_the_project_asks_for_is_fixed_within_its_bounds() -> None:
    asked = _asked_for("dependencies") | _asked_for("test")
    assert {
        str(one) for one in asked if not one.specifier.contains(FIXED.get(canonicalize_name(one.name), "0"))
    } == set()


def test_what_those_need_is_fixed_too() -> None:
    waiting = {
        (canonicalize_name(one.name), frozenset(one.extras)) for one in _asked_for("dependencies") | _asked_for("test")
    }
    seen = set(waiting)
    while waiting:
        name, extras = waiting.pop()
        for needed in map(Requirement, _needs(name)):
            marker = needed.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras or {""}):
                found = (canonicalize_name(needed.name), frozenset(needed.extras))
                waiting |= {found} - seen
                seen.add(found)
    assert {name for name, _ in seen} - set(FIXED) == set()


def _asked_for(group: str) -> set[Requirement]:
    """The requirements of a group, and of the project's own extras that it names."""
    lines = PROJECT["dependencies"] if group == "dependencies" else PROJECT["optional-dependencies"][group]
    found = {Requirement(line) for line in lines}
    own = {one for one in found if one.name == PROJECT["name"]}
    return (found - own).union(*(_asked_for(extra) for one in own for extra in one.extras))


def _needs(name: str) -> list[str]:
    try:
        return requires(name) or []
    except PackageNotFoundError:  # not needed on this machine
        return []
