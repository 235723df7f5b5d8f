"""What the README prints for a terminal runs as it is printed; its Python is tried beside the Python surface."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interfaces.host.running_host import KEY, TOKEN, running
from tests.support.running_sandbox import RunningSandbox

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCKS = [text for _, text in re.findall(r"(?ms)^```(\w*)\n(.*?)^```$", README) if text.startswith("$ ")]
PATH = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def commands(block: str) -> str:
    """The lines of a block as one types them, ended by the first that fails."""
    return "set -e\n" + re.sub(r"(?m)^\$ ", "", block)


def typed(script: str, **env: str) -> str:
    environment = {**os.environ, "PATH": PATH, "NO_PROXY": "*", **env}
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_installing_comes_first() -> None:
    assert BLOCKS[0].startswith("$ pip install ")
    assert README.index("pip install") < README.index("make run")


@pytest.mark.long
def test_the_five_minutes_run_as_they_are_printed(sandbox: RunningSandbox, tmp_path: Path) -> None:
    (block,) = [block for block in BLOCKS if "kontor doctor" in block]
    first, rest = block.split("\n", 1)
    assert first == "$ kontor sandbox &"  # the sandbox of the tests stands for it, at another port
    printed = typed(commands(rest.replace("http://127.0.0.1:8320", sandbox.url)), KONTOR_DATA=str(tmp_path))
    assert "222483902742913301" in printed


def test_the_call_over_http_runs_as_it_is_printed(sandbox: RunningSandbox, tmp_path: Path) -> None:
    (block,) = [block for block in BLOCKS if "Idempotency-Key" in block]
    start, rest = block.split("\n", 1)
    assert start.startswith("$ kontor serve --port 8321 ")
    with running(sandbox, tmp_path) as host:
        call = commands(rest.replace("http://127.0.0.1:8321", host.url))
        first, second = (json.loads(typed(call, TOKEN=TOKEN, KONTOR_API_KEY=KEY)) for _ in range(2))
    assert (first["replayed"], second["replayed"]) == (False, True)
    assert first["output"]["id"] == second["output"]["id"]
