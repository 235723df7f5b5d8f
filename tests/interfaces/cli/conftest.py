"""Fixtures: the `kontor` command as a process, with a sandbox and a state folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest

from connector.interfaces.cli import main
from tests.interfaces.cli.kontor_command import CommandResult, Kontor

SCRIPT = Path(sys.executable).parent / "kontor"
KEY = "sandbox-key"


@pytest.fixture
def environment(sandbox: Any, tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KONTOR_")}
    return {
        **kept,
        "KONTOR_BASE_URL": sandbox.url,
        "KONTOR_API_KEY": KEY,
        "KONTOR_DATA": str(tmp_path / "state"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }


@pytest.fixture
def kontor(environment: dict[str, str], tmp_path: Path) -> Kontor:
    """Run a command; assert that it prints neither a traceback nor the key."""

    def run(*arguments: str, stdin: bytes = b"", **changes: str) -> CommandResult:
        done = subprocess.run(
            [SCRIPT, *arguments],
            env={**environment, **changes},
            input=stdin,
            capture_output=True,
            timeout=60,
            cwd=tmp_path,
        )
        out, err = done.stdout.decode(), done.stderr.decode()
        assert "Traceback" not in out + err
        assert changes.get("KONTOR_API_KEY", KEY) not in out + err
        return CommandResult(done.returncode, out, err)

    return run


@pytest.fixture
def kontor_here(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Kontor:
    """Run a command in this process, which is faster; assert that it does not print the key."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    def run(*arguments: str, **changes: str) -> CommandResult:
        capsys.readouterr()
        with pytest.MonkeyPatch.context() as changed:
            for name, value in changes.items():
                changed.setenv(name, value)
            status = copy_context().run(main, arguments)  # a command leaves nothing behind, as in its own process
        shown = capsys.readouterr()
        assert changes.get("KONTOR_API_KEY", KEY) not in shown.out + shown.err
        return CommandResult(status, shown.out, shown.err)

    return run


@pytest.fixture
def script() -> Path:
    """The path of the command."""
    return SCRIPT


@pytest.fixture
def ledger(sandbox: Any) -> str:
    """The ledger connection of the demo data's main client."""
    rows = sandbox.api.get("/v2/ledger-duo/connections").json()["connections"]
    return next(str(row["id"]) for row in rows if row["bezeichnung"] == "Nordlicht Fahrradhandel GmbH")


@pytest.fixture
def entry(ledger: str) -> list[str]:
    """A cash book entry as `--set` arguments."""
    values = {
        "ledger_connection": ledger,
        "kassenname": "Ladenkasse",
        "betrag": "119.00",
        "transaktionsdatum": "2026-05-04T10:30",
        "belegzeilen[0].betrag": "100.50",
        "belegzeilen[0].gegenkonto": "8400",
        "belegzeilen[1].betrag": "18.50",
        "belegzeilen[1].gegenkonto": "8400",
    }
    return [word for name, value in values.items() for word in ("--set", f"{name}={value}")]


@pytest.fixture(params=["data", "http"])
def where(
    request: pytest.FixtureRequest, environment: dict[str, str], sandbox: Any, tmp_path: Path
) -> Iterator[dict[str, str]]:
    """The environment of a caller: on KONTOR_DATA itself, or on a host that uses it."""
    if request.param == "data":
        yield {}
        return
    from tests.interfaces.host.running_host import TOKEN, running

    with running(sandbox, tmp_path / "state", trial=False, own_credential=None) as host:
        yield {"KONTOR_HOST_URL": host.url, "KONTOR_HOST_TOKEN": TOKEN}
