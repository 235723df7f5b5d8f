"""What an answer to a write proves, over HTTP: a host tells what Python tells, row by row."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from connector import Connector, Credential
from connector.runtime.writes import write
from tests.interfaces.host.running_host import RunningHost, running
from tests.support.proof_rows import TURNS, Row, inputs_of, name_of, prove
from tests.support.running_sandbox import RunningSandbox

pytestmark = pytest.mark.long


@pytest.fixture
def host(sandbox: RunningSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[RunningHost]:
    monkeypatch.setattr(write, "FIND_DELAYS", (0.0,))
    with running(sandbox, tmp_path / "host") as host:
        # An answer to the host itself, which registers its webhook, could show that a used-up window is open again.
        deadline = time.monotonic() + 20
        while not any(row["method"] == "PUT" and row["path"].endswith("/webhook-url") for row in sandbox.requests()):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        yield host


@pytest.mark.parametrize("turn", TURNS, ids=name_of)
@pytest.mark.parametrize("acts", [False, True], ids=["did nothing", "acted"])
def test_a_host_makes_nothing_twice_whatever_the_answer(
    host: RunningHost, sandbox: RunningSandbox, tmp_path: Path, acts: bool, turn: tuple[Row, list[str]]
) -> None:
    row, actions = turn
    sandbox.order("/clock", speed=1)
    with Connector(str(tmp_path / "beside")).open(Credential(sandbox.url, "sandbox-key")) as session:
        inputs = {action: inputs_of(action, session) for action in actions}
    for action in actions:

        def run(again: bool, action: str = action) -> str:
            answer = host.run(action, inputs[action], key=f"lauf-{action}", again=again)
            return "done" if answer.status_code == 200 else str(answer.json()["outcome"])

        prove(run, sandbox, action, row, acts)
