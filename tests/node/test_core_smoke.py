"""Runs the smoke tests of the TypeScript core (`core_smoke.mjs`) with the Node of the test extra."""

from __future__ import annotations

import subprocess
from pathlib import Path

from node import find_node, or_skip

SMOKE = Path(__file__).with_name("core_smoke.mjs")


def test_the_typescript_core_works_end_to_end() -> None:
    with or_skip():
        node = find_node()
        node.require(24, "TypeScript that is not built")
    command = [node.program, "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON", "--test-reporter=spec", str(SMOKE)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "fail 0" in done.stdout
