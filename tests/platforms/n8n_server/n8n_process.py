"""A whole n8n server on this machine, in a folder of its own, with one exported package in it."""

from __future__ import annotations

import socket
import subprocess
import tarfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
from n8n_tools import Toolchain
from node import Node

READY_SECONDS = 180
STOP_SECONDS = 30
SETTINGS = {
    "N8N_ENCRYPTION_KEY": "only-for-tests",
    "N8N_LISTEN_ADDRESS": "127.0.0.1",
    "N8N_SECURE_COOKIE": "false",
    # Nothing of it leaves this machine.
    "N8N_DIAGNOSTICS_ENABLED": "false",
    "N8N_VERSION_NOTIFICATIONS_ENABLED": "false",
    "N8N_TEMPLATES_ENABLED": "false",
    "N8N_PERSONALIZATION_ENABLED": "false",
    "N8N_VERIFIED_PACKAGES_ENABLED": "false",
    "N8N_DISABLED_MODULES": "mcp-registry",
    "N8N_PYTHON_ENABLED": "false",
    "NO_COLOR": "1",
}


def unpacked(tools: Toolchain, package: Path, home: Path) -> None:
    """Puts into a server's folder what npm would publish of the package, and nothing else."""
    done = subprocess.run(
        [*tools.node.npm, "pack", "--ignore-scripts", "--silent", "--pack-destination", str(home)],
        cwd=package,
        env=tools.environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    modules = home / ".n8n" / "nodes" / "node_modules"
    modules.mkdir(parents=True)
    with tarfile.open(home / done.stdout.strip()) as archive:
        archive.extractall(modules, filter="data")
    (modules / "package").rename(modules / package.name)


@contextmanager
def serving(node: Node, folder: Path, home: Path) -> Iterator[str]:
    """The running server's address. What it says is kept in the home folder."""
    port, broker = _free_ports(2)
    url = f"http://127.0.0.1:{port}"
    kept = {name: value for name, value in node.environment.items() if not name.startswith(("N8N_", "KONTOR_"))}
    own = {
        "N8N_USER_FOLDER": str(home),
        "N8N_PORT": str(port),
        "N8N_RUNNERS_BROKER_PORT": str(broker),
        "WEBHOOK_URL": f"{url}/",
    }
    log = home / "server.log"
    with log.open("w") as told:
        process = subprocess.Popen(
            [node.program, str(folder / "node_modules" / "n8n" / "bin" / "n8n"), "start"],
            env={**kept, **SETTINGS, **own},
            stdout=told,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_until_ready(url, process, log)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    patience = time.monotonic() + READY_SECONDS
    while time.monotonic() < patience:
        assert process.poll() is None, f"n8n has ended:\n{log.read_text()[-2000:]}"
        try:
            if httpx.get(f"{url}/healthz/readiness", trust_env=False).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.5)
    raise AssertionError(f"n8n is not ready after {READY_SECONDS} seconds:\n{log.read_text()[-2000:]}")


def _free_ports(count: int) -> list[int]:
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [int(probe.getsockname()[1]) for probe in probes]
    for probe in probes:
        probe.close()
    return ports
