"""Judgements of others on the app: Zapier's schema and command line, and TypeScript's on the adapter."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile

import pytest

from connector import Connector
from connector.export import zapier
from connector.export.catalogue import write
from connector.export.node.compile import sources
from connector.export.shape import ExportOptions
from tests.platforms.node import find_node, or_skip
from tests.platforms.zapier.zapier_engine import Engine, core, packages

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
    told = command_line(package, "validate", "--without-style")
    assert "No structural errors found during validation routine." in told


def test_the_command_line_builds_what_it_would_upload(package):
    (package / ".zapierapprc").write_text(json.dumps({"id": 1, "key": "App1"}))
    command_line(
        package, "build", "--skip-npm-install", "--skip-validation", "--disable-dependency-detection"
    )  # it also loads the app from the archive
    with zipfile.ZipFile(package / "build" / "build.zip") as archive:
        assert {"index.js", "adapter/app.js", "pack.json"} <= set(archive.namelist())


def command_line(package, *arguments):
    node = find_node()
    with or_skip():
        node.require(22, "Zapier's command line")
    cli = packages("zapier-cli") / "zapier-platform-cli" / "src" / "bin" / "run"
    shutil.copytree(core(), package / "node_modules")
    env = {**node.environment, "HOME": str(package), "DISABLE_ZAPIER_ANALYTICS": "true"}
    command = [node.program, str(cli), *arguments]
    done = subprocess.run(command, cwd=package, env=env, capture_output=True, text=True, timeout=180, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_adapter_has_no_type_error(tmp_path):
    """The platform's engine erases types unread; here they are read, together with the core's."""
    there = packages("typescript")
    options = {
        "strict": True,
        "noEmit": True,
        "noUncheckedIndexedAccess": True,
        "noUnusedLocals": True,
        "erasableSyntaxOnly": True,
        "verbatimModuleSyntax": True,
        "allowImportingTsExtensions": True,
        "target": "es2022",
        "lib": ["es2023"],
        "module": "esnext",
        "moduleResolution": "bundler",
        "types": ["node"],
        "typeRoots": [str(there / "@types")],
    }
    own = [str(path) for path in sources().values() if "n8n" not in path.parts]  # which has a check of its own
    config = {"compilerOptions": options, "files": own}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))
    command = [find_node().program, str(there / "typescript" / "bin" / "tsc"), "-p", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout
