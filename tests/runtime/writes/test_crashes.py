"""A process that dies at a line of the write path leaves what the page about it says (docs/architecture.md)."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from connector import Connector, Credential
from connector.core.errors import OutcomeUnknown
from connector.core.values import json as exact
from connector.runtime.writes import write
from tests.support.proof_rows import acted, inputs_of
from tests.support.running_sandbox import RunningSandbox

PAGE = Path(__file__).parents[3] / "docs" / "architecture.md"
ROW = re.compile(
    r"^\| `(?P<line>\w+)` \|[^|]*\| (?P<state>\w+) \| (?P<payment>[^|]+) \| (?P<booking>[^|]+) \|$", re.MULTILINE
)
ROWS = [tuple(row.groups()) for row in ROW.finditer(PAGE.read_text(encoding="utf-8"))]
ACTIONS = {"payment": "initiate_payment", "booking": "create_cash_book_entry"}
KEY = "lauf-1"

# Runs a write under a key, and kills itself right after one line of the procedure.
DYING = """
import os, signal, sys
from connector import Connector, Credential
from connector.client import steps
from connector.core.values import json
from connector.runtime.writes import write

line, url, data, action, inputs, key = sys.argv[1:]

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def dying(original):
    def procedure(*given, **more):
        result = yield from original(*given, **more)
        die()
        return result
    return procedure

match line:
    case "claim" | "start":
        name, carry_out = {"claim": "claim", "start": "_start"}[line], steps._carry_out
        def watched(step, *others):
            done = carry_out(step, *others)
            if isinstance(step, steps.Commit) and getattr(step.change, "func", step.change).__name__ == name:
                die()
            return done
        steps._carry_out = watched
    case "permit":
        permit = write.Sending.wait_for_permit
        write.Sending.wait_for_permit = lambda self: (dying(permit) if self._call.writes else permit)(self)
    case "request":
        request = write.Sending.request
        write.Sending.request = lambda self: (dying(request) if self._call.writes else request)(self)
    case _:
        name = {"policy": "check_policy", "find": "_find_before_sending", "record": "_record"}[line]
        setattr(write, name, dying(getattr(write, name)))

with Connector(data).open(Credential(url, "sandbox-key")) as session:
    session.invoke(action, json.decode(inputs), key=key)
"""


def test_the_page_walks_through_every_line() -> None:
    assert [line for line, *_ in ROWS] == ["claim", "policy", "find", "permit", "start", "request", "record"]


@pytest.mark.long
@pytest.mark.parametrize("kind", ACTIONS)
@pytest.mark.parametrize("row", ROWS, ids=[line for line, *_ in ROWS])
def test_a_crash_after_a_line_leads_to_what_the_page_says(
    sandbox: RunningSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, row: tuple[str, ...]
) -> None:
    line, state, payment, booking = row
    monkeypatch.setattr(write, "DEAD_AFTER_SECONDS", 0.5)
    action, data = ACTIONS[kind], str(tmp_path / "data")
    with Connector(data).open(Credential(sandbox.url, "sandbox-key")) as session:
        inputs = inputs_of(action, session)
    before = acted(sandbox, action)
    given = exact.encode(inputs).decode()
    died = subprocess.run(
        [sys.executable, "-c", DYING, line, sandbox.url, data, action, given, KEY], timeout=60, check=False
    )
    assert died.returncode == -signal.SIGKILL
    expected = {"payment": payment, "booking": booking}[kind].strip()
    with Connector(data).open(Credential(sandbox.url, "sandbox-key")) as session:
        assert session.find_run(KEY).state == state
        for _ in range(2):  # whoever asks again hears the same
            try:
                result = session.invoke(action, inputs, key=KEY)
                told = "result"
                assert json.dumps(result.output, default=str)
            except OutcomeUnknown:
                told = "unknown"
            assert f"{told}, made {acted(sandbox, action) - before} times".replace("1 times", "once") == expected
