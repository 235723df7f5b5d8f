"""Every manifest does in the TypeScript core what its cases say."""

from __future__ import annotations

from typing import Any

import pytest

from connector.testing.cases.expectation import differences
from tests.cases.in_node import run
from tests.cases.in_python import Interpreter
from tests.cases.our_cases import all_cases
from tests.platforms.node import or_skip
from tests.support.made_once import made_once

CASES = {case.key: case for case in all_cases() if case.runs_in("node")}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with or_skip():
        return made_once(tmp_path_factory, "cases", lambda folder: run(CASES.values(), Interpreter(), folder))


@pytest.mark.parametrize("key", CASES)
def test_case(key: str, told: dict[str, Any]) -> None:
    assert differences(CASES[key], told[key]) == []
