"""`kontor serve` says at once what it is doing, and a start that fails makes nothing."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
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


def printed(command: list[str], env: dict[str, str], target: int, read: Callable[[], str]) -> str:
    """What a host prints to a file or a terminal, from its start to its stop."""
    told = {**env, "KONTOR_BASE_URL": "https://service.example"}
    process = subprocess.Popen([KONTOR, "serve", "--port", "0", *command], env=told, stdout=target)
    text = ""
    for _ in range(600):
        text += read()
        if "http://127.0.0.1" in text:
            break
        time.sleep(0.05)
    process.terminate()
    assert process.wait(20) == 0
    return text + read()


@pytest.mark.parametrize("flags", [[], ["--json"]], ids=["words", "json"])
def test_no_link_and_no_token_is_printed_into_a_file(tmp_path: Path, flags: list[str]) -> None:
    data = tmp_path / "data"
    with (tmp_path / "log").open("w") as file, (tmp_path / "log").open() as reader:
        text = printed(flags, environment(data), file.fileno(), reader.read)
    assert "/console" in text
    assert "token=" not in text
    assert (data / "host.token").read_text().strip() not in text
    assert str(data / "host.token") in text


def test_a_token_that_was_set_is_named_and_not_printed(tmp_path: Path) -> None:
    env = {**environment(tmp_path / "data"), "KONTOR_HOST_TOKEN": "t" * 40}
    with (tmp_path / "log").open("w") as file, (tmp_path / "log").open() as reader:
        text = printed([], env, file.fileno(), reader.read)
    assert "token=" not in text
    assert "t" * 40 not in text
    assert "KONTOR_HOST_TOKEN" in text


def test_on_a_terminal_the_link_and_a_new_token_are_shown(tmp_path: Path) -> None:
    terminal, shown = os.openpty()
    os.set_blocking(terminal, False)

    def read() -> str:
        with suppress(BlockingIOError):
            return os.read(terminal, 65_536).decode()
        return ""

    text = printed([], environment(tmp_path / "data"), shown, read)
    assert "/console?token=" in text
    assert (tmp_path / "data" / "host.token").read_text().strip() in text
