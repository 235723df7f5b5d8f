"""Every dependency has bounds; within them `constraints.txt` fixes a version of everything that the tests install."""

from __future__ import annotations

import re

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.repository.required_packages import PROJECT, PYPROJECT, ROOT, asked_for, needed

LINES = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
FIXED = {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in LINES)}


def test_every_line_is_a_name_and_a_version() -> None:
    assert [line for line in LINES if not re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.+!]*", line)] == []
    assert len(FIXED) == len(LINES)


def test_what_the_project_asks_for_is_fixed_within_its_bounds() -> None:
    asked = asked_for("dependencies") | asked_for("test")
    assert {
        str(one) for one in asked if not one.specifier.contains(FIXED.get(canonicalize_name(one.name), "0"))
    } == set()


def test_what_those_need_is_fixed_too() -> None:
    assert needed("dependencies", "test") - set(FIXED) == set()


def test_every_dependency_has_a_lower_and_an_upper_bound() -> None:
    extras = PROJECT["optional-dependencies"].values()
    lines = {*PROJECT["dependencies"], *PYPROJECT["build-system"]["requires"]}.union(*extras)
    asked = [one for one in map(Requirement, lines) if one.name != PROJECT["name"]]
    assert len(asked) > 40
    assert [str(one) for one in asked if not {">=", "<"} <= {bound.operator for bound in one.specifier}] == []
