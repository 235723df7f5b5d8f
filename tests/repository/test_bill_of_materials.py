"""The bill of materials of a wheel lists what it asks for, with versions within the bounds, and nothing else."""

from __future__ import annotations

import json

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from build_hooks.bill_of_materials import bill_of_materials
from tests.repository.required_packages import PROJECT, ROOT, asked_for

LINES = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
EXTRAS = ("sandbox", "host", "console", "postgres", "mcp", "temporal")


def test_it_lists_every_package_that_a_customer_installs_with_a_version_within_its_bounds() -> None:
    told = json.loads(bill_of_materials(PROJECT, "1.2.3", LINES))
    assert (told["bomFormat"], told["specVersion"]) == ("CycloneDX", "1.6")
    assert told["metadata"]["component"]["purl"] == "pkg:pypi/kontor-connector@1.2.3"
    required = {canonicalize_name(one.name) for one in asked_for("dependencies")}
    optional = {canonicalize_name(one.name) for extra in EXTRAS for one in asked_for(extra)}
    scopes = {one["name"]: one["scope"] for one in told["components"]}
    assert scopes == {name: "required" if name in required else "optional" for name in required | optional}
    for one in told["components"]:
        assert one["purl"] == f"pkg:pypi/{one['name']}@{one['version']}"
        assert all(Requirement(asked["value"]).specifier.contains(one["version"]) for asked in one["properties"])
    [own] = told["dependencies"]
    assert own["dependsOn"] == [one["bom-ref"] for one in told["components"]]


def test_the_same_sources_give_the_same_bytes_and_no_host_is_named() -> None:
    text = bill_of_materials(PROJECT, "1.2.3", LINES)
    assert text == bill_of_materials(dict(reversed(PROJECT.items())), "1.2.3", reversed(LINES))
    assert "://" not in text
    assert "timestamp" not in text
