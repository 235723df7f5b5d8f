"""The workflow that publishes: in the form that its platform reads, with no right too many, and of what is tested."""

from __future__ import annotations

import io
import json
import re
import tarfile
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from jsonschema import Draft7Validator, Draft202012Validator

from connector import Connector
from connector.core.service.wire import Wire
from connector.export.catalogue import export, platforms, ready_made
from connector.export.shape import ExportOptions, Publisher, Via
from connector.interfaces.cli import main

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TEXTS = {"type": "object", "additionalProperties": {"type": "string"}}
RIGHTS = {"type": "object", "additionalProperties": {"enum": ["read", "write", "none"]}}
STEP = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string"},
        "uses": {"type": "string", "pattern": r"^[\w.-]+/[\w./-]+@[0-9a-f]{40}$"},
        "with": {"type": "object", "additionalProperties": {"type": ["string", "boolean", "number"]}},
        "env": TEXTS,
        "run": {"type": "string", "minLength": 1},
    },
    "oneOf": [{"required": ["uses"]}, {"required": ["run"]}],
}
JOB = {
    "type": "object",
    "additionalProperties": False,
    "required": ["runs-on", "timeout-minutes", "permissions", "steps"],
    "properties": {
        "runs-on": {"type": "string", "pattern": r"^ubuntu-\d\d\.04$"},
        "timeout-minutes": {"type": "integer", "maximum": 60},
        "environment": {"type": "string"},
        "permissions": RIGHTS,
        "env": TEXTS,
        "steps": {"type": "array", "minItems": 1, "items": STEP},
    },
}
WORKFLOW = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name", "on", "permissions", "jobs"],
    "properties": {
        "name": {"type": "string"},
        "on": {
            "type": "object",
            "additionalProperties": False,
            "properties": {"release": {"type": "object", "properties": {"types": {"const": ["published"]}}}},
        },
        "permissions": {"const": {"contents": "read"}},
        "env": TEXTS,
        "jobs": {"type": "object", "minProperties": 1, "additionalProperties": JOB},
    },
}
"""What we use of the form that GitHub documents, and no more."""
PLACEHOLDER = re.compile(
    rb"""packages@kontor\.example|kontor\.example/kontor\.git|["'](?:https://)?(?:kontor|service)\.example["']"""
)
"""Of whoever has not said who they are; samples may lead to examples."""
VENDOR = "check_jsonschema.builtin_schemas.vendor"
PINNED = re.compile(r"^ +- uses: (\S+)@([0-9a-f]{40}) # v\d+\.\d+\.\d+$", re.MULTILINE)


class Loader(yaml.SafeLoader):
    """Reads `on` as the word that it is here."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:bool"]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))


def read(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), Loader)


def jobs() -> dict[str, Any]:
    found: dict[str, Any] = read(ROOT / ".github/workflows/publish.yml")["jobs"]
    return found


def typed(job: dict[str, Any]) -> str:
    return "\n".join(step.get("run", "") for step in job["steps"])


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_has_the_form_that_is_read(path: Path) -> None:
    wrong = [error.message for error in Draft202012Validator(WORKFLOW).iter_errors(read(path))]
    assert wrong == []


def findings(workflow: Any) -> list[str]:
    """What the schema that editors check GitHub's workflows by says."""
    schema = json.loads(files(VENDOR).joinpath("github-workflows.json").read_text(encoding="utf-8"))
    return [error.message for error in Draft7Validator(schema).iter_errors(workflow)]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_has_the_form_of_the_platforms_own_schema(path: Path) -> None:
    assert findings(read(path)) == []


def test_that_schema_finds_a_misspelt_key_an_unknown_right_and_a_step_that_does_nothing() -> None:
    for place, key, value in (("wheel", "runs_on", "ubuntu-24.04"), ("permissions", "id-tokens", "write")):
        workflow = read(ROOT / ".github/workflows/publish.yml")
        wheel = workflow["jobs"]["wheel"]
        (wheel if place == "wheel" else wheel[place])[key] = value
        assert findings(workflow)
    workflow = read(ROOT / ".github/workflows/publish.yml")
    workflow["jobs"]["wheel"]["steps"].append({"name": "Nothing"})
    assert findings(workflow)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_an_action_is_named_by_the_commit_of_a_release_and_the_same_one_everywhere(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    pinned = PINNED.findall(text)
    assert len(pinned) == text.count("uses:")
    assert len(set(pinned)) == len({action for action, _ in pinned})


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_nothing_from_outside_is_written_into_a_command_and_no_token_is_kept(path: Path) -> None:
    for name, job in read(path)["jobs"].items():
        assert "${{" not in typed(job), f"{name}: hand it over as a variable of the environment"
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
    assert "secrets." not in path.read_text(encoding="utf-8")


def test_what_is_published_proves_where_it_was_built() -> None:
    wheel, n8n = jobs()["wheel"], jobs()["n8n"]
    assert n8n["permissions"] == {"contents": "read", "id-token": "write"}
    assert wheel["permissions"] == {"contents": "read", "id-token": "write", "attestations": "write"}
    assert "npm publish --provenance" in typed(n8n)
    assert "twine check --strict" in typed(wheel)
    assert any(step.get("with", {}).get("attestations") is True for step in wheel["steps"])


def test_the_file_that_kontor_builds_is_the_one_that_is_published() -> None:
    script = typed(jobs()["n8n"])
    assert "kontor export n8n -o build/n8n --release" in script
    name, content = ready_made("n8n", Connector("unused"), ExportOptions()) or ("", b"")
    [published] = re.findall(r"npm publish --provenance .*?(\S+)$", script, re.MULTILINE)
    assert Path("build/n8n", name).match(published)
    with tarfile.open(fileobj=io.BytesIO(content)) as package:
        about = json.loads(package.extractfile("package/package.json").read())  # type: ignore[union-attr]
    assert about.get("private") is None
    assert not {"preinstall", "install", "postinstall", "prepare"} & set(about.get("scripts", {}))


def test_the_lines_of_the_workflow_are_those_of_the_readme() -> None:
    [line] = re.findall(r"npm ci .*?(?=\))", typed(jobs()["n8n"]))
    assert line in (ROOT / "connector/core/messages/exports/platforms.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("via", get_args(Via))
@pytest.mark.parametrize("platform", [*platforms(), "all"])
def test_no_package_is_released_with_a_placeholder(
    platform: str, via: Via, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KONTOR_PUBLISHER", raising=False)
    monkeypatch.setenv("KONTOR_BASE_URL", "https://api.buchhof.de")
    folder = tmp_path / "out"
    assert main(["export", platform, "-o", str(folder), "--via", via, "--release", "--json"]) == 2
    assert not folder.exists()


@pytest.mark.parametrize("via", get_args(Via))
def test_what_is_released_names_its_publisher_and_its_service_and_no_placeholder(via: Via) -> None:
    publisher = Publisher("Buchhof GmbH", "pakete@buchhof.de", "https://buchhof.de/kontor", "https://buchhof.de/k.git")
    addresses = {"base_url": "https://api.buchhof.de", "host_url": "https://kontor.buchhof.de"}
    options = ExportOptions(via=via, publisher=publisher, wire=Wire.load({}), **addresses)
    assert options.placeholders == []
    for platform in platforms():
        found = export(platform, Connector("unused"), options).files
        left = {name for name, text in found.items() if PLACEHOLDER.search(text)}
        assert left == set(), platform
