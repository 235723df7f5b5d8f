"""Runs the smoke tests of the TypeScript core (`*_smoke.mjs`) with the Node of the test extra."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.platforms.node import find_node, or_skip

HERE = Path(__file__).parent


@pytest.mark.parametrize("script", ["core_smoke.mjs", "poll_throttle_smoke.mjs"])
def test_the_typescript_core_works_end_to_end(script: str) -> None:
    with or_skip():
        node = find_node()
        node.require(24, "TypeScript that is not built")
    command = [
        node.program,
        "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON",
        "--test-reporter=spec",
        str(HERE / script),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "fail 0" in done.stdout
