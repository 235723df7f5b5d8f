"""Test helper: real `kontor` processes whose rate window is scaled down, so that many windows pass in a test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import httpx

from tests.support.running_sandbox import HOST_TOKEN

TOKEN = HOST_TOKEN
KEY = "sandbox-key"
LIMIT, WINDOW, VALIDITY = 60, 3.0, 0.25
"""Instead of 200 requests in 900 seconds, and permits valid for 5: so few that slow machines have to wait as well."""

SCALED = f"""
import importlib.util, sys
from pathlib import Path
name = "connector.client.rate_window"
path = Path(importlib.util.find_spec("connector").origin).parent / "client/rate_window.py"
spec = importlib.util.spec_from_file_location(name, path)
module = sys.modules[name] = importlib.util.module_from_spec(spec)  # before anybody imports the window's length from it
spec.loader.exec_module(module)
module.LIMIT, module.WINDOW, module.VALIDITY = {LIMIT}, {WINDOW}, {VALIDITY}
from connector.interfaces.cli import main
sys.exit(main())
"""


def environment(base_url: str, data: str, **more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("KONTOR_")}
    return {**kept, "KONTOR_BASE_URL": base_url, "KONTOR_DATA": data, "KONTOR_HOST_TOKEN": TOKEN, **more}


class HostProcess(NamedTuple):
    """A host in a process of its own, and a client for it."""

    process: subprocess.Popen[str]
    http: httpx.Client


@contextmanager
def hosts(count: int, env: dict[str, str]) -> Iterator[list[HostProcess]]:
    """Run so many hosts."""
    command = [sys.executable, "-c", SCALED, "serve", "--no-console", "--json", "--port", "0"]
    processes = []
    try:
        for _ in range(count):
            processes.append(subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True))
        urls = [json.loads(process.stdout.readline())["base_url"] for process in processes if process.stdout]
        headers = {"authorization": f"Bearer {TOKEN}", "x-api-key": KEY}
        clients = [httpx.Client(base_url=url, headers=headers, trust_env=False, timeout=90) for url in urls]
        yield [HostProcess(process, client) for process, client in zip(processes, clients, strict=True)]
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(30)


def command_line(env: dict[str, str], *arguments: str) -> Any:
    """Run a command in a process of its own and return the document that it prints."""
    command = [sys.executable, "-c", SCALED, *arguments, "--json"]
    done = subprocess.run(command, env={**env, "KONTOR_API_KEY": KEY}, capture_output=True, text=True, timeout=120)
    assert "Traceback" not in done.stderr, done.stderr
    return json.loads(done.stdout)
