"""Zapier's own judgement of the app: its schema, and the validation of its command line."""

from __future__ import annotations

import subprocess

import pytest
from node import find_node, or_skip
from zapier_engine import VERSION, Engine, core, packages

from connector import Connector
from connector.export import zapier
from connector.export.catalogue import write
from connector.export.shape import ExportOptions

pytestmark = pytest.mark.platforms
MANIFESTS = Connector("unused")
KINDS = [(via, lang) for via in ("service", "host") for lang in ("en", "de")]


@pytest.fixture(params=KINDS, ids="-".join)
def package(request, tmp_path):
    via, lang = request.param
    write(zapier.build(MANIFESTS, ExportOptions(via=via, lang=lang)), tmp_path)
    return tmp_path


def test_the_schema_finds_nothing(package):
    engine = Engine(package, {})
    assert engine.tell({"command": "validate"})["results"] == []
    engine.close()


def test_the_command_line_finds_nothing(package):
    node = find_node()
    with or_skip():
        node.require(22, "Zapier's command line")
    cli = packages("zapier-cli", f"zapier-platform-cli@{VERSION}") / "zapier-platform-cli" / "src" / "bin" / "run"
    (package / "node_modules").symlink_to(core())
    env = {**node.environment, "HOME": str(package), "DISABLE_ZAPIER_ANALYTICS": "true"}
    command = [node.program, str(cli), "validate", "--without-style"]
    done = subprocess.run(command, cwd=package, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No structural errors found during validation routine." in done.stdout
