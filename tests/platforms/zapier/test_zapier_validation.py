"""Zapier's own judgement of the app: its schema, and the validation of its command line."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from zapier_engine import HERE, VERSION, core, missing, node, packages

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
    env = {**os.environ, "NODE_PATH": str(core())}
    command = [*node(), str(HERE / "validate.js"), str(package / "kontor-app.json")]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


def test_the_command_line_finds_nothing(package):
    major = int(
        subprocess.run([*node(), "--version"], capture_output=True, text=True, check=True).stdout[1:].split(".")[0]
    )
    if major < 22:
        missing(f"Zapier's command line needs Node 22, and this is {major}")
    cli = packages("zapier-cli", f"zapier-platform-cli@{VERSION}") / "zapier-platform-cli" / "src" / "bin" / "run"
    (package / "node_modules").symlink_to(core())
    path = f"{Path(node()[0]).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "HOME": str(package), "DISABLE_ZAPIER_ANALYTICS": "true"}
    command = [*node(), str(cli), "validate", "--without-style"]
    done = subprocess.run(command, cwd=package, env=env, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "No structural errors found during validation routine." in done.stdout
