"""The cases bite: whatever is changed in an interpreter, at least one of them fails.

Every condition is forced to true and to false, every name of a sentence exchanged. What no case can notice stands with
its reason in `mutations/equivalent.yaml`. CI tries a part of the changes (`tests/support/parts.py`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases.in_python import Interpreter
from tests.cases.mutations import python_changes, typescript_changes
from tests.cases.mutations.excuses import Change, Excuses
from tests.cases.our_cases import all_cases
from tests.platforms.node import or_skip
from tests.support.parts import FILES, PARTS, WHOLE, which

pytestmark = pytest.mark.slow
SECONDS = 1800


def test_every_change_in_python_is_noticed() -> None:
    command = [sys.executable, "-m", python_changes.__name__]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    assert done.returncode == 0, done.stderr[-4000:]
    told = json.loads(done.stdout)
    excuses = Excuses("python")
    assert FILES or told["changes"] > 1000
    assert told["tried"] >= told["changes"] // PARTS
    assert not (unnoticed := excuses.beyond(told["survivors"])), _shown(unnoticed)
    if WHOLE:
        assert excuses.without_use(told["survivors"]) == []


def test_every_change_in_typescript_is_noticed(tmp_path: Path) -> None:
    excuses = Excuses("typescript")
    cases = [case for case in all_cases() if case.runs_in("node")]
    with or_skip():
        tried, survivors, excused = typescript_changes.survivors(cases, Interpreter(), tmp_path, excuses)
    assert FILES or tried > 700 // PARTS
    assert not (unnoticed := excuses.beyond(survivors)), _shown(unnoticed)
    if WHOLE:
        assert excuses.without_use([*survivors, *excused]) == []


def _shown(changes: list[Change]) -> str:
    lines = (f"{one['file']}:{one['line']} {one['function']}: {one['text']} -> {one['forced']}" for one in changes)
    return "\n".join([which(), *lines])
