"""The table of written days and amounts gives the same value or refusal in Python, CLI, HTTP host and MCP.

The console's form, n8n's and Zapier's engines read the same table in tests of their own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from connector import Connector, Credential
from connector.core.manifest.load import VARIABLE
from connector.core.values import json as exact_json
from connector.interfaces.cli import main
from connector.interfaces.mcp import build_server
from connector.testing.cases.expectation import differences
from connector.testing.cases.files import decoded
from tests.cases.in_python import Interpreter
from tests.platforms.n8n.engine.stub_service import StubService, stub_service
from tests.platforms.written_forms import ID, LEAST, TABLE, Outcome, connector, in_python

KONTOR = Path(sys.executable).parent / "kontor"
TYPES = {"money", "number", "integer", "date", "date-time"}
INTERPRETER = Interpreter()
NAMES = {field.name for field in INTERPRETER.manifest(ID).inputs if field.type in TYPES}


def _is_json(value: Any) -> bool:
    """Whether a caller outside this process can hand it over; `$platform_…` are dates and numbers of JavaScript."""
    return not isinstance(value, dict) or set(value) <= {"$number", "$signs", "$null", "$repeat"}


ROWS = {
    key: case
    for key, case in TABLE.items()
    if case.body["inputs"].keys() <= NAMES and all(map(_is_json, case.body["inputs"].values()))
}
TYPED = {key: case for key, case in ROWS.items() if all(isinstance(one, str) for one in case.body["inputs"].values())}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("written")


@pytest.fixture(scope="module")
def using(folder: Path) -> Connector:
    return connector(folder)


@pytest.fixture(scope="module")
def expected(using: Connector) -> dict[str, Outcome]:
    return {key: in_python(using.action(ID), using, case) for key, case in ROWS.items()}


@pytest.fixture(scope="module")
def service() -> Iterator[StubService]:
    with stub_service(lambda method, path, body: (200, {"text": "taken"}), parse_float=Decimal) as stub:
        yield stub


@pytest.fixture(scope="module")
def environment(using: Connector, folder: Path, service: StubService) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KONTOR_")}
    own = {VARIABLE: str(folder / "manifests"), "KONTOR_BASE_URL": service.url, "KONTOR_API_KEY": "a-key"}
    return {**kept, **own, "KONTOR_DATA": str(folder / "data"), "KONTOR_LANG": "en"}


def _outcome(document: dict[str, Any]) -> Outcome:
    """What a dry run told as JSON."""
    if document.get("ok"):
        return Outcome(body=document["output"]["body"])
    error = document.get("error", document)
    message = error["message"]
    return Outcome(message=message if isinstance(message, str) else message["en"])


def _sent(key: str) -> str:
    return exact_json.encode(decoded(ROWS[key].body["inputs"])).decode()


def _differing(expected: dict[str, Outcome], found: dict[str, Outcome]) -> dict[str, Any]:
    return {key: (expected[key], one) for key, one in found.items() if not expected[key].agrees(one)}


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert len(ROWS) >= LEAST
    assert len(TYPED) >= LEAST


def test_python_reads_it_as_the_table_says() -> None:
    assert {key: found for key, case in ROWS.items() if (found := differences(case, INTERPRETER.run(case)))} == {}


@pytest.mark.long
@pytest.mark.parametrize("way", ["--set", "--input"])
def test_the_command_line(
    way: str,
    expected: dict[str, Outcome],
    environment: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    found = {}
    for key, case in (TYPED if way == "--set" else ROWS).items():
        [(name, written)] = case.body["inputs"].items()
        given = f"{name}={written}" if way == "--set" else _sent(key)
        main(["run", ID, way, given, "--dry-run", "--json"])
        found[key] = _outcome(json.loads(capsys.readouterr().out, parse_float=Decimal))
    assert _differing(expected, found) == {}


@pytest.mark.long
def test_the_host(expected: dict[str, Outcome], environment: dict[str, str]) -> None:
    command = [KONTOR, "serve", "--port", "0", "--json"]
    host = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert host.stdout is not None
        told = json.loads(host.stdout.readline())
        headers = {"authorization": f"Bearer {told['host_token']}", "x-api-key": "a-key", "accept-language": "en"}
        headers["content-type"] = "application/json"
        with httpx.Client(base_url=told["base_url"], headers=headers, timeout=30) as api:
            path = f"/v1/actions/{ID}/run"
            bodies = {key: f'{{"inputs": {_sent(key)}, "dry_run": true}}' for key in ROWS}
            found = {
                key: _outcome(json.loads(api.post(path, content=body).text, parse_float=Decimal))
                for key, body in bodies.items()
            }
    finally:
        host.terminate()
        host.wait(30)
    assert _differing(expected, found) == {}


async def test_an_agent(
    expected: dict[str, Outcome],
    environment: dict[str, str],
    service: StubService,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(VARIABLE, environment[VARIABLE])
    own = Connector(str(tmp_path))

    @asynccontextmanager
    async def opened(request: Any) -> Any:
        async with own.open(Credential(service.url, "a-key", quelle="mcp")) as session:
            session.state.governor.limit = 1_000_000
            yield session

    found = {}
    async with Client(build_server(own, opened)) as client:
        for key in ROWS:
            before = len(service.asked)
            done = await client.call_tool(ID, json.loads(_sent(key)))
            text = "\n".join(part.text for part in done.content)
            bodies = [body for _, _, body in service.asked[before:]]
            found[key] = Outcome(message=text) if done.is_error else Outcome(body=bodies[0])
    own.close()
    wrong = {
        key: (expected[key], one)
        for key, one in found.items()
        if expected[key].body != one.body or expected[key].message not in one.message
    }
    assert wrong == {}
