"""What the site prints to be copied runs: command line, HTTP and Python, against the sandbox."""

from __future__ import annotations

import ast
import json
import os
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from connector import Connector, KontorError
from connector.interfaces.cli import main
from docs.site.samples import HOST_URL, TARGET_URL
from tests.interfaces.host.running_host import KEY, TOKEN, running
from tests.repository.site_pages import LANGUAGES, samples
from tests.support.running_sandbox import RunningSandbox

CONNECTOR = Connector("unused")
ELSEWHERE = {"not_found", "refused", "right_missing"}
"""Kinds of errors that an example may come to, because the sandbox does not know its ids."""
COMMANDS = {folder: samples(folder, "shell") for folder in ("actions", "triggers", "lookups")}
PYTHON = {
    f"{folder}/{id} {place}": code
    for folder in ("actions", "triggers", "lookups")
    for id, blocks in samples(folder, "python").items()
    for place, code in enumerate(blocks)
}


def of_command_line(blocks: list[str]) -> list[str]:
    return [block for block in blocks if block.startswith("kontor ")]


def of_http(blocks: list[str]) -> list[str]:
    return [block for block in blocks if block.startswith("curl ")]


@pytest.fixture
def _credential(sandbox: RunningSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"BASE_URL": sandbox.url, "API_KEY": KEY, "DATA": str(tmp_path)}.items():
        monkeypatch.setenv(f"KONTOR_{name}", value)


def test_both_languages_print_the_same_samples() -> None:
    for folder in ("actions", "triggers", "lookups"):
        for language in ("shell", "python"):
            english, german = (samples(folder, language, lang) for lang in LANGUAGES)
            assert english == german


@pytest.mark.usefixtures("_credential")
@pytest.mark.parametrize("action", COMMANDS["actions"])
def test_the_command_of_an_action_would_be_sent(action: str, capsys: pytest.CaptureFixture[str]) -> None:
    (command,) = of_command_line(COMMANDS["actions"][action])
    status = main([*shlex.split(command)[1:], "--dry-run", "--json"])
    printed = capsys.readouterr()
    assert (status, printed.err) == (0, "")
    assert json.loads(printed.out)["action"] == action


@pytest.mark.usefixtures("_credential")
def test_the_commands_of_lookups_and_triggers_run(capsys: pytest.CaptureFixture[str]) -> None:
    events = {id for id, one in CONNECTOR.triggers.items() if one.source == "event"}
    for folder in ("lookups", "triggers"):
        for id, blocks in COMMANDS[folder].items():
            commands = of_command_line(blocks)
            assert bool(commands) == (id not in events)
            for command in commands[:1]:  # the second one watches for ever, with the same inputs
                main([*shlex.split(command)[1:], "--json"])
                document = json.loads(capsys.readouterr().out)
                assert document["ok"] or document["error"]["kind"] in ELSEWHERE, (command, document)


@pytest.mark.long
def test_what_is_sent_to_a_host_is_understood(sandbox: RunningSandbox, tmp_path: Path) -> None:
    writes = {id for id, one in CONNECTOR.actions.items() if one.writes}
    with running(sandbox, tmp_path) as host:
        env = {**os.environ, "KONTOR_HOST_TOKEN": TOKEN, "KONTOR_API_KEY": KEY, "NO_PROXY": "*"}
        for folder, found in COMMANDS.items():
            for id, blocks in found.items():
                assert of_http(blocks)
                for command in of_http(blocks) if folder != "actions" or id not in writes else ():
                    sent = command.replace(HOST_URL, host.url).replace(TARGET_URL, f"{sandbox.url}/hook")
                    done = subprocess.run(["bash", "-c", sent], env=env, capture_output=True, text=True, check=True)
                    document = json.loads(done.stdout)
                    assert document.get("ok") or document["kind"] in ELSEWHERE, (command, document)


@pytest.mark.usefixtures("_credential")
@pytest.mark.parametrize("name", [name for name in PYTHON if not name.startswith("triggers/")])
def test_the_python_of_an_action_or_a_lookup_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    kind = None
    try:
        exec(compile(PYTHON[name], name, "exec"), {})
    except KontorError as error:
        kind = error.kind
    assert kind in ELSEWHERE or (kind is None and capsys.readouterr().out)


@pytest.mark.parametrize("name", [name for name in PYTHON if name.startswith("triggers/")])
def test_the_python_of_a_trigger_names_what_there_is(name: str) -> None:
    tree, names = ast.parse(PYTHON[name]), dict[str, Any]()
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {one.name: getattr(import_module(node.module), one.name) for one in node.names}
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if isinstance(call.func, ast.Attribute) and call.func.attr == "watch":
            handler = eval(compile(ast.Expression(call.args[0]), name, "eval"), names)
            assert handler.manifest_id == name.split()[0].removeprefix("triggers/")


@pytest.mark.long
def test_a_type_checker_accepts_every_python_sample(tmp_path: Path) -> None:
    for name, code in PYTHON.items():
        (tmp_path / f"{name.replace('/', '_').replace(' ', '_')}.py").write_text(code, encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-incremental",
        "--config-file=",
        *map(str, tmp_path.iterdir()),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
