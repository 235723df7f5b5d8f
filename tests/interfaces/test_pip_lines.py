"""Every line for pip that is printed anywhere runs as it is printed, and what it brings works."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import time
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client, StdioServerParameters

from connector.core.messages import LANGUAGES, say
from connector.runtime.requests.catalog import Catalog
from docs.site.guides import guide_pages
from tests.repository.required_packages import PROJECT, ROOT
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.long
LINE = re.compile(r"""(?:^ *\$ |`|: )(pip install (?:\.|'[^']+')(?: pytest)?)(?= *(?:#|`|$))""", re.MULTILINE)
OURS = frozenset({".venv*", ".git", ".ci-cache", ".kontor", "build", "dist", "__pycache__", ".*_cache", "tests"})
CONFIGURATION = re.compile(r"(?s)```json\n(.*?)```")
CONSOLE = "pip install '.[console]'"
PATIENCE = 60


def printed() -> list[str]:
    """Every line, in the order of the README, then of the rest."""
    documents = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), ROOT / "connector/testing/__init__.py"]
    texts = [path.read_text(encoding="utf-8") for path in documents]
    texts += [guide for lang in LANGUAGES for guide in guide_pages(Catalog(""), lang).values()]
    texts += [say("extra_missing_remedy", extra=extra).in_(lang) for extra in extras_asked_for() for lang in LANGUAGES]
    return list(dict.fromkeys(line for text in texts for line in LINE.findall(text)))


def extras_asked_for() -> set[str]:
    """The extras that commands say are missing."""
    found = set()
    for path in (ROOT / "connector/interfaces").rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "say":
                given = {one.arg: one.value for one in call.keywords}
                if isinstance(given.get("extra"), ast.Constant):
                    found.add(str(given["extra"].value))  # type: ignore[attr-defined]
    return found


def test_every_extra_is_named_where_installing_is_told() -> None:
    named = {extra for line in printed() for extra in re.findall(r"\[(\w+)\]", line)}
    named |= set(re.findall(r"`(\w+)`", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert extras_asked_for() <= set(PROJECT["optional-dependencies"])
    assert set(PROJECT["optional-dependencies"]) - {"docs", "test"} <= named
    assert CONSOLE in printed()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A machine on which every line has been typed in turn, in a checkout and an environment that is new."""
    folder = tmp_path_factory.mktemp("pip-lines")
    shutil.copytree(ROOT, folder / "checkout", ignore=shutil.ignore_patterns(*OURS))
    venv.create(folder / "venv", with_pip=True)
    for line in printed():
        done = subprocess.run(
            ["sh", "-c", line],
            cwd=folder / "checkout",
            env={**environment(folder), "PIP_CONSTRAINT": str(ROOT / "constraints.txt"), "PIP_NO_COMPILE": "1"},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    return folder


def environment(home: Path, **more: str) -> dict[str, str]:
    """A terminal's, in which nothing of this project is set."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("KONTOR_", "PYTHON", "VIRTUAL"))}
    path = f"{home / 'venv/bin'}{os.pathsep}{os.environ['PATH']}"
    return {**kept, "PATH": path, "HOME": str(home), "NO_PROXY": "*", **more}


def test_what_is_installed_is_whole_and_is_what_was_built(home: Path) -> None:
    python = [str(home / "venv/bin/python"), "-c", "import connector; print(connector.__file__)"]
    place = subprocess.run(python, cwd=home, env=environment(home), capture_output=True, text=True, check=True).stdout
    assert "site-packages" in place
    subprocess.run([home / "venv/bin/python", "-m", "pip", "check"], cwd=home, env=environment(home), check=True)


@pytest.fixture
def served(home: Path) -> Iterator[subprocess.Popen[str]]:
    """The README's second line: `kontor serve --sandbox`, at a free port."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [line] = re.findall(r"^\$ (kontor serve --sandbox)\b", readme, re.MULTILINE)
    command = ["sh", "-c", f"exec {line} --port 0"]
    where = environment(home, KONTOR_DATA=str(home / "data"))
    process = subprocess.Popen(command, cwd=home, env=where, stdout=subprocess.PIPE, text=True)
    yield process
    process.send_signal(signal.SIGINT)
    process.wait(PATIENCE)


def test_the_line_after_installing_serves_host_and_console(served: subprocess.Popen[str]) -> None:
    assert served.stdout is not None
    url = next(found[0] for line in served.stdout if (found := re.search(r"http://127\.0\.0\.1:\d+", line)))
    ends = time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        try:
            assert httpx.get(f"{url}/healthz", timeout=PATIENCE).status_code == 200
            page = httpx.get(f"{url}/console", timeout=PATIENCE, follow_redirects=True)
            assert page.status_code == 401, "it asks who is there"
            assert page.headers["content-type"].startswith("text/html")
            return
        except httpx.TransportError:
            time.sleep(0.2)
    raise AssertionError("it did not answer")


@pytest.mark.parametrize("lang", LANGUAGES)
async def test_the_guide_for_mcp_leads_to_the_first_call_of_an_agent(
    lang: str, home: Path, sandbox: RunningSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = guide_pages(Catalog(""), lang)["guides/mcp.md"]
    [configuration] = CONFIGURATION.findall(page)
    [(name, server)] = json.loads(configuration)["mcpServers"].items()
    assert server["env"] == {"KONTOR_BASE_URL": "https://service.example", "KONTOR_API_KEY": "…"}
    [named] = re.findall(r"`(list_\w+)`", page)
    given = {"KONTOR_BASE_URL": sandbox.url, "KONTOR_API_KEY": "sandbox-key", "KONTOR_DATA": str(home / lang)}
    monkeypatch.setenv("PATH", environment(home)["PATH"])
    started = StdioServerParameters(command=server["command"], args=server["args"], env=environment(home, **given))
    async with Client(started) as agent:
        answer: Any = await agent.call_tool(named, {})
    assert name == "kontor"
    assert not answer.is_error
    assert answer.structured_content["output"]["items"]
