"""What a customer installs has a licence of a known family, and `docs/security.md` lists who has which."""

from __future__ import annotations

import re
from collections import defaultdict
from importlib.metadata import PackageMetadata, distributions, metadata

import pytest
from packaging.utils import canonicalize_name

from tests.repository.required_packages import ROOT, needed

EXTRAS = ("dependencies", "console", "mcp", "postgres", "temporal")
FAMILIES = {
    "MIT": r"MIT(-0)?( License)?",
    "BSD": r"(0?BSD(-[23]-Clause)?|(3-Clause )?BSD License)",
    "Apache": r"Apache([ -]2\.0| Software License| License, Version 2\.0)",
    "PSF": r"(PSF-2\.0|Python Software Foundation License)",
    "public domain": r"(Public Domain|CC0-1\.0)",
    "MPL": r"(MPL-2\.0|Mozilla Public License 2\.0 \(MPL 2\.0\))",
    "LGPL": r"(LGPL-(2\.1|3\.0)-(only|or-later)|GNU Lesser General Public License .*)",
}
"""Nothing of MPL and LGPL is altered or copied: they are installed beside us, and can be replaced."""
ELSEWHERE = {"docutils": "GNU General Public License (GPL)"}
"""A licence of files that the package's wheel does not bring: an Emacs mode."""
PAGE = ROOT / "docs" / "security.md"


def family(licence: str) -> str:
    """The family of one licence; a KeyError names what belongs to none."""
    for name, pattern in FAMILIES.items():
        if re.fullmatch(pattern, licence, re.IGNORECASE):
            return name
    raise KeyError(licence)


def licences(told: PackageMetadata) -> list[str]:
    """Every licence that a package names: by its expression, else its classifiers, else its field."""
    expression = told.get("License-Expression")
    classifiers = [one.split(" :: ")[-1] for one in told.get_all("Classifier", []) if one.startswith("License :: ")]
    named = (
        re.split(r" (?:AND|OR) ", re.sub("[()]", "", expression))
        if expression
        else classifiers or [told.get("License", "")]
    )
    return [one for one in named if one != ELSEWHERE.get(told["Name"].lower())]


def families() -> dict[str, set[str]]:
    """The packages of each family; one with several licences stands in each."""
    found = defaultdict(set)
    for name in needed(*EXTRAS) & installed():
        for licence in licences(metadata(name)):
            found[family(licence)].add(name)
    return found


def installed() -> set[str]:
    """The names of what is installed here; some packages are needed on other systems only."""
    return {canonicalize_name(one.metadata["Name"]) for one in distributions()}


def test_every_package_has_a_licence_of_a_known_family() -> None:
    assert needed(*EXTRAS) & installed() == set().union(*families().values())


def test_the_page_lists_who_has_which() -> None:
    page = PAGE.read_text(encoding="utf-8").partition("## What is installed")[2]
    shown = dict(re.findall(r"^\| (\S[\w ]*) \| (.+) \|$", page, re.MULTILINE))
    del shown["family"]
    listed = {name: packages.split(", ") for name, packages in shown.items()}
    assert all(packages == sorted(packages) for packages in listed.values())
    here = needed(*EXTRAS) & installed()  # some are needed by older Pythons only
    assert {name: {*packages} & here for name, packages in listed.items()} == families()


@pytest.mark.parametrize("licence", ["GPL-3.0-only", "AGPL-3.0-or-later", "SSPL-1.0", "", "Proprietary"])
def test_a_licence_of_no_family_is_noticed(licence: str) -> None:
    with pytest.raises(KeyError):
        family(licence)
