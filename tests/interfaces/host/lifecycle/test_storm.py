"""While strangers hold every connection and a customer sends hostile bodies, another customer is served as ever."""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from cryptography.fernet import Fernet

from tests.interfaces.host.kontor_processes import TOKEN, environment
from tests.interfaces.host.running_host import PAYMENT
from tests.store.postgres import postgres_server, postgres_url
from tests.support.running_sandbox import RunningSandbox, organisation_with_a_payment

__all__ = ["postgres_server", "postgres_url"]
pytestmark = pytest.mark.slow

OPEN_FILES = 1024
DATA_KEY = Fernet.generate_key().decode()
QUIET_SECONDS, STORM_SECONDS = 3.0, 8.0
KONTOR = str(Path(sys.executable).with_name("kontor"))
STORM = [sys.executable, "-m", "tests.interfaces.host.lifecycle.storm"]


def few_files() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))


def many_files() -> None:
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@contextmanager
def host_process(sandbox: RunningSandbox, data: str, log: Path) -> Iterator[str]:
    command = [KONTOR, "serve", "--json", "--port", "0"]
    with log.open("w") as errors:
        process = subprocess.Popen(
            command,
            env={**environment(sandbox.url, data), "KONTOR_DATA_KEY": DATA_KEY},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            preexec_fn=few_files,
        )
    try:
        assert process.stdout
        yield json.loads(process.stdout.readline())["base_url"]
    finally:
        process.terminate()
        assert process.wait(30) == 0


def customer(url: str, name: str, key: str) -> str:
    headers = {"authorization": f"Bearer {TOKEN}", "x-api-key": key}
    with httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=30) as admin:
        assert admin.post("/v1/workspaces", json={"name": name}).status_code == 201
        assert admin.post("/v1/keys", params={"workspace": name}).status_code == 201
        made = admin.post("/v1/tokens", json={"name": name, "role": "payer", "workspace": name})
        return str(made.json()["token"])


def served(url: str, token: str, seconds: float) -> list[float]:
    """How long each request of a customer takes, on a connection of its own, for so many seconds."""
    took: list[float] = []
    until = time.monotonic() + seconds
    asked = [
        ("GET", "/v1/runs", None),
        ("GET", "/v1/actions/initiate_payment", None),
        ("POST", "/v1/actions/initiate_payment/run", {"inputs": PAYMENT, "dry_run": True}),
    ]
    headers, anew = {"authorization": f"Bearer {token}"}, httpx.Limits(max_keepalive_connections=0)
    with httpx.Client(base_url=url, headers=headers, limits=anew, trust_env=False, timeout=10) as caller:
        while time.monotonic() < until:
            for method, path, body in asked:
                began = time.monotonic()
                answer = caller.request(method, path, json=body)
                took.append(time.monotonic() - began)
                assert answer.status_code == 200, answer.text
    return took


def p99(took: list[float]) -> float:
    return sorted(took)[math.ceil(len(took) * 0.99) - 1]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_hostile_bodies_and_two_thousand_slow_connections_hold_up_no_other_customer(
    sandbox: RunningSandbox, tmp_path: Path, database: str, request: pytest.FixtureRequest
) -> None:
    data = request.getfixturevalue("postgres_url") if database == "postgresql" else str(tmp_path)
    sandbox.order("/limits", limit=1_000_000)
    with host_process(sandbox, data, tmp_path / "host.log") as url:
        served_one = customer(url, "served", "sandbox-key")
        attacking = customer(url, "attacking", organisation_with_a_payment(sandbox))
        quiet = served(url, served_one, QUIET_SECONDS)
        address = httpx.URL(url)
        storm = subprocess.Popen(
            [*STORM, address.host, str(address.port), attacking, "/hooks/guessed"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            preexec_fn=many_files,
        )
        assert storm.stdout
        assert storm.stdout.readline() == "attacking\n"
        try:
            busy = served(url, served_one, STORM_SECONDS)
        finally:
            opened, _ = storm.communicate("")
        assert int(opened) >= 2000
        assert p99(busy) <= max(5 * p99(quiet), 0.25), (sorted(quiet)[-5:], sorted(busy)[-5:])
        assert len(busy) >= 20
        assert max(served(url, served_one, 0.5)) < 5, "it recovers"
    assert "Too many open files" not in (tmp_path / "host.log").read_text()
