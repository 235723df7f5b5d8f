"""Clients that two generators make of the documents: whole, passed by mypy and tsc, and used."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from connector import Connector, Credential
from connector.core.service.wire import Wire
from connector.export import openapi
from connector.export.openapi.rules import FILE, METHODS, OLDER_FILE
from connector.export.shape import ExportOptions
from connector.runtime.session import Session
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from tests.interfaces.host.running_host import KEY, TOKEN, RunningHost
from tests.platforms.node import find_node, or_skip
from tests.platforms.npm import installed
from tests.support.filled_in import needed_inputs
from tests.support.running_sandbox import RunningSandbox

CONNECTOR = Connector("unused")
PROGRAMS = Path(__file__).parent / "clients"
WAYS = [(via, file) for via in ("host", "service") for file in (FILE, OLDER_FILE)]
pytestmark = pytest.mark.long
each_way = pytest.mark.parametrize("made", WAYS, indirect=True, ids=[f"{via}-{file}" for via, file in WAYS])
SILENT = {"post_hooks": []}
LONG_AMOUNT = Decimal("9999999999999.99")
DAYS = ["2026-01-01", "2026-03-29", "2026-10-25", "2026-12-31", "2028-02-29"]
"""The first and the last of a year, those on which clocks are changed, and one of a leap year."""
loads = partial(json.loads, parse_float=str)
"""Reads what a program printed; its numbers stay as it wrote them."""


def python_identifier(operation_id: str) -> str:
    """What the Python generator calls the module of an operation."""
    return re.sub(r"\W+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", operation_id)).lower().strip("_")


class Made:
    """A document in a folder of its own."""

    def __init__(self, folder: Path, via: str, file: str) -> None:
        self.folder = folder
        self.via = via
        self.document = folder / file
        export = openapi.build(CONNECTOR, ExportOptions(via=via, wire=Wire.load({}), with_writes=True))  # type: ignore[arg-type]
        self.document.write_bytes(export.files[file])

    def run(self, *command: str | Path, given: str | None = None) -> str:
        """Run a program here; what it says."""
        node = find_node()
        done = subprocess.run(
            [str(part) for part in command],
            cwd=self.folder,
            input=given,
            env={**node.environment, "PYTHONPATH": str(self.folder)},
            capture_output=True,
            text=True,
            timeout=600,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + (done.stderr if given is None else "")

    def python_client(self) -> None:
        """Generate `kontor_client`."""
        (self.folder / "config.json").write_text(json.dumps(SILENT))
        said = self.run(
            Path(sys.executable).with_name("openapi-python-client"),
            *("generate", "--path", self.document, "--config", "config.json"),
            *("--meta", "none", "--output-path", "kontor_client"),
        )
        assert "arning" not in said, said
        assert "Unable" not in said, said
        modules = {path.stem.strip("_") for path in (self.folder / "kontor_client/api").glob("*/[!_]*.py")}
        assert modules == {python_identifier(id) for id in self.operations()}

    def operations(self) -> set[str]:
        """Every operation of the document, by its id."""
        paths = json.loads(self.document.read_bytes())["paths"].values()
        return {one["operationId"] for path in paths for method, one in path.items() if method in METHODS}

    def typescript_client(self) -> None:
        """Generate `schema.ts`, beside the packages that it is used with."""
        packages = installed("openapi") / "node_modules"
        (self.folder / "node_modules").symlink_to(packages)
        (self.folder / "package.json").write_text('{"type": "module"}')
        tool = packages / "openapi-typescript/bin/cli.js"
        flags = ["--default-non-nullable=false", "-o", "schema.ts"]  # what has a default may be left out
        self.run(find_node().program, tool, self.document, *flags)
        typed = (self.folder / "schema.ts").read_text(encoding="utf-8").partition("export interface operations")[2]
        assert self.operations() <= set(re.findall(r'^    "?([\w.-]+)"?: \{$', typed, re.MULTILINE))

    def check_types(self, program: str) -> None:
        """Have tsc pass a program with the types that it imports."""
        compiler = self.folder / "node_modules/typescript/bin/tsc"
        flags = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--allowImportingTsExtensions"]
        declared = self.folder / "globals.d.ts"
        declared.write_text("declare const process: { argv: string[] };\n")
        self.run(find_node().program, compiler, *flags, program, declared)


@pytest.fixture
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Made:
    with or_skip():
        find_node()
    return Made(tmp_path, *request.param)


@pytest.fixture
def filed(sandbox: RunningSandbox) -> tuple[str, str, str]:
    """A transaction whose id is longer than a double holds, with an amount of fifteen digits: id, amount and day."""
    sandbox.order_exact("/transactions", {"account_id": MAIN_ACCOUNT, "amount": LONG_AMOUNT})
    query = {"account_id": MAIN_ACCOUNT, "sort": "id"}
    row = sandbox.api.get("/v2/banking/transactions", params=query).json()["data"][-1]
    assert int(row["id"]) > 2**53
    return row["id"], str(LONG_AMOUNT), row["made_on"]


def is_unchanged(told: dict[str, Any], filed: tuple[str, str, str], sandbox: RunningSandbox) -> None:
    """What the client gave of that transaction, and the days that the service was asked for."""
    id, amount, day = told["newest"]
    assert (id, amount, day) == filed
    queries = [row["query"] for row in sandbox.requests() if row["path"] == "/v2/banking/transactions"]
    assert [query["from_date"] for query in queries if "from_date" in query] == DAYS


@pytest.fixture
def addressed(made: Made, request: pytest.FixtureRequest) -> list[str]:
    """What the programs are told of where to call."""
    if made.via == "host":
        return [request.getfixturevalue("a_host").url, TOKEN, KEY]
    sandbox = request.getfixturevalue("sandbox")
    sandbox.order("/limits", limit=1_000_000)
    return [sandbox.url, KEY]


def payments(sandbox: RunningSandbox) -> int:
    return [row["method"] for row in sandbox.requests() if row["path"] == "/v2/banking/payments"].count("POST")


def has_worked(via: str, told: dict[str, Any], sandbox: RunningSandbox) -> None:
    assert len(told["ids"]) == 1
    if via == "service":
        assert (told["amount"], told["status"]) == ("297.5", 200)
        assert payments(sandbox) == 2, "one that was taken and one that was refused"
        return
    assert payments(sandbox) == 1, "the key pays once, and what is wrong is not sent"
    assert told["ids"][0] in told["listed"]
    assert told["cursor"]
    assert told["field"] == "amount"
    assert told["remedy"]


@each_way
def test_the_python_client_is_whole_and_typed_and_works(
    made: Made, filed: tuple[str, str, str], addressed: list[str], sandbox: RunningSandbox
) -> None:
    made.python_client()
    program = made.folder / f"python_via_{made.via}.py"
    shutil.copy(PROGRAMS / program.name, program)
    mypy = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--output=json", str(program)]
    said = subprocess.run(mypy, cwd=made.folder, capture_output=True, text=True, timeout=600)
    found = [json.loads(line) for line in said.stdout.splitlines() if line.startswith("{")]
    # What the generator writes into every client is not typed strictly, and is not ours.
    assert [one for one in found if one["severity"] == "error" and one["file"] == program.name] == []
    assert said.returncode in (0, 1), said.stderr
    told = loads(made.run(sys.executable, program, *addressed, MAIN_ACCOUNT, ",".join(DAYS), given=""))
    has_worked(made.via, told, sandbox)
    is_unchanged(told, filed, sandbox)


@each_way
def test_the_typescript_client_is_typed_and_works(
    made: Made, filed: tuple[str, str, str], addressed: list[str], sandbox: RunningSandbox
) -> None:
    with or_skip():
        made.typescript_client()
    program = made.folder / f"via_{made.via}.ts"
    shutil.copy(PROGRAMS / program.name, program)
    made.check_types(program.name)
    arguments = (program.name, *addressed, MAIN_ACCOUNT, ",".join(DAYS))
    told = loads(made.run(find_node().program, "--no-warnings", *arguments, given=""))
    has_worked(made.via, told, sandbox)
    is_unchanged(told, filed, sandbox)


@pytest.fixture
def session(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[Session]:
    connector = Connector(str(tmp_path / "filling"))
    with connector.open(Credential(sandbox.url, KEY)) as session:
        yield session
    connector.close()


@pytest.fixture
def filled_in(a_host: RunningHost, session: Session) -> dict[str, dict[str, Any]]:
    """Every action, with inputs that the sandbox answers."""
    return {id: needed_inputs(action, session) for id, action in CONNECTOR.actions.items()}


@pytest.mark.parametrize("made", [("host", FILE)], indirect=True, ids=["host"])
def test_the_python_client_reads_the_answer_of_every_action(
    made: Made, addressed: list[str], filled_in: dict[str, dict[str, Any]]
) -> None:
    made.python_client()
    told = json.loads(
        made.run(sys.executable, PROGRAMS / "python_every_action.py", *addressed, given=json.dumps(filled_in))
    )
    assert set(told) == set(CONNECTOR.actions)
    for id, answer in told.items():
        wanted = "".join(word.capitalize() for word in f"action_{id}_answer".split("_"))
        assert (answer["status"], answer["class"], answer["lost"]) == (200, wanted, []), (id, answer)


@pytest.mark.parametrize("made", [("host", OLDER_FILE)], indirect=True, ids=["host"])
def test_the_typescript_client_takes_the_inputs_of_every_action(
    made: Made, addressed: list[str], filled_in: dict[str, dict[str, Any]]
) -> None:
    with or_skip():
        made.typescript_client()
    head = (PROGRAMS / "via_host.ts").read_text(encoding="utf-8").partition("const accounts")[0]
    calls = [
        f"told[{json.dumps(id)}] = (await client.POST('/v1/actions/{id}/run', "
        f"{{ body: {{ inputs: {json.dumps(inputs, default=str)} }} }})).data!.{_output(id)};"
        for id, inputs in filled_in.items()
    ]
    program = "\n".join(
        [head, "const told: Record<string, unknown> = {};", *calls, "console.log(JSON.stringify(told));"]
    )
    (made.folder / "every.ts").write_text(program, encoding="utf-8")
    made.check_types("every.ts")
    told = json.loads(made.run(find_node().program, "--no-warnings", "every.ts", *addressed, given=""))
    assert {id for id, found in told.items() if found is None} == set()
    assert set(told) == set(CONNECTOR.actions)


def _output(id: str) -> str:
    """An answer to a write may also be that it waits for an approval, which has no output."""
    return "ok" if CONNECTOR.action(id).writes else "output"


@pytest.mark.parametrize("made", WAYS, indirect=True, ids=[f"{via}-{file}" for via, file in WAYS])
def test_redocly_finds_no_error(made: Made) -> None:
    with or_skip():
        cli = installed("openapi") / "node_modules/@redocly/cli/bin/cli.js"
    said = made.run(find_node().program, cli, "lint", "--format=json", made.document.name, given="")
    found = json.loads(said[said.index("{") :])
    assert found["totals"]["errors"] == 0, found["problems"]
