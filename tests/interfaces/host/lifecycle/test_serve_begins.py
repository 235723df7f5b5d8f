"""`kontor serve` says at once what it is doing, and a start that fails makes nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

KONTOR = str(Path(sys.executable).with_name("kontor"))


def environment(folder: Path) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if not name.startswith("KONTOR_")}
    return {**plain, "KONTOR_DATA": str(folder), "KONTOR_LANG": "en"}


def test_the_first_start_without_a_base_url_fails_before_it_makes_anything(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    done = subprocess.run(
        [KONTOR, "serve", "--port", "0"],
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "KONTOR_BASE_URL" in done.stderr
    assert not folder.exists()


def test_a_start_on_other_addresses_without_a_token_makes_none_either(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    done = subprocess.run(
        [KONTOR, "serve", "--host", "0.0.0.0", "--port", "0"],
        env={**environment(folder), "KONTOR_BASE_URL": "https://service.example"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert not (folder / "host.token").exists()


def test_the_start_tells_what_it_does_from_the_first_second_on(tmp_path: Path) -> None:
    command = [KONTOR, "serve", "--sandbox", "--no-console", "--port", "0"]
    begun = time.monotonic()
    process = subprocess.Popen(command, env=environment(tmp_path), stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        lines, times = [], []
        while not lines or "ready" not in lines[-1]:
            lines.append(process.stdout.readline())
            times.append(time.monotonic() - begun)
            assert lines[-1], "it ended"
    finally:
        process.terminate()
        process.wait(20)
    assert lines[0] == "Kontor is starting …\n"
    assert times[0] < max(1.0, times[-1] / 2), "within a second, or on a busy machine long before it is ready"
    assert len(lines) >= 4
