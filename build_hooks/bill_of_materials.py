"""Writes the bill of materials (SBOM) of a wheel, as CycloneDX: what it asks for, and the versions it was tried with.

It depends on the files of the project alone, so that the same sources give the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LEFT_OUT = ("docs", "test")
"""Extras for those who change the project."""


def bill_of_materials(project: Mapping[str, Any], version: str, constraints: Iterable[str]) -> str:
    """Return the document for the table `project` of pyproject.toml, its version and the lines of constraints.txt."""
    versions = (line.strip().partition("==") for line in constraints)
    fixed: dict[str, str] = {canonicalize_name(name): number for name, _, number in versions}
    groups = {"": project["dependencies"], **project["optional-dependencies"]}
    asked: dict[str, dict[str, Requirement]] = {}
    for group in (group for group in groups if group not in LEFT_OUT):
        for requirement in map(Requirement, groups[group]):
            if requirement.name != project["name"]:
                asked.setdefault(canonicalize_name(requirement.name), {})[group] = requirement
    own = _purl(project["name"], version)
    components = [_component(name, fixed[name], asked[name]) for name in sorted(asked)]
    document = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": own,
                "name": project["name"],
                "version": version,
                "purl": own,
                "licenses": [{"license": {"id": project["license"]}}],
            },
        },
        "components": components,
        "dependencies": [{"ref": own, "dependsOn": [component["bom-ref"] for component in components]}],
    }
    return json.dumps(document, indent=2) + "\n"


def _component(name: str, version: str, groups: Mapping[str, Requirement]) -> dict[str, Any]:
    asked = [
        {"name": f"kontor:asked:{group}" if group else "kontor:asked", "value": str(requirement)}
        for group, requirement in sorted(groups.items())
    ]
    return {
        "type": "library",
        "bom-ref": _purl(name, version),
        "name": name,
        "version": version,
        "purl": _purl(name, version),
        "scope": "required" if "" in groups else "optional",
        "properties": asked,
    }


def _purl(name: str, version: str) -> str:
    return f"pkg:pypi/{canonicalize_name(name)}@{version}"
