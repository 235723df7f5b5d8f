"""The real `kontor` in a process of its own, with a sandbox at the other end and a state folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from connector.interfaces.cli import main

SCRIPT = Path(sys.executable).parent / "kontor"
KEY = "sandbox-key"


@dataclass(frozen=True)
class Ending:
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout."""
        assert self.out.endswith("\n")
        assert self.out.count("\n") == 1
        return json.loads(self.out, parse_float=Decimal)

    @property
    def error(self) -> Any:
        document = self.document
        assert document["ok"] is False
        return document["error"]


Kontor = Callable[..., Ending]


@pytest.fixture
def environment(desk: Any, tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KONTOR_")}
    return {
        **kept,
        "KONTOR_BASE_URL": desk.url,
        "KONTOR_API_KEY": KEY,
        "KONTOR_DATA": str(tmp_path / "state"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }


@pytest.fixture
def kontor(environment: dict[str, str], tmp_path: Path) -> Kontor:
    """Runs a command. Whatever it is, it shows neither a traceback nor the key."""

    def run(*arguments: str, stdin: bytes = b"", **changes: str) -> Ending:
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
        return Ending(done.returncode, out, err)

    return run


@pytest.fixture
def kontor_here(
    environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Kontor:
    """The same in this process, for the many small cases: a process takes half a second to start."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    def run(*arguments: str) -> Ending:
        capsys.readouterr()
        status = main(arguments)
        shown = capsys.readouterr()
        assert KEY not in shown.out + shown.err
        return Ending(status, shown.out, shown.err)

    return run


@pytest.fixture
def script() -> Path:
    """The command itself, for tests that start it in their own way."""
    return SCRIPT


@pytest.fixture
def ledger(desk: Any) -> str:
    """The ledger connection of the demo world's main client."""
    rows = desk.api.get("/v2/ledger-duo/connections").json()["connections"]
    return next(str(row["id"]) for row in rows if row["bezeichnung"] == "Nordlicht Fahrradhandel GmbH")


@pytest.fixture
def entry(ledger: str) -> list[str]:
    """A cash book entry, as it is given on the command line."""
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
