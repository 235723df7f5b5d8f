"""A whole n8n server on this machine, in a folder of its own, with one exported package in it."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.platforms.n8n.engine.n8n_tools import Toolchain

READY_SECONDS = 180
STOP_SECONDS = 30
SETTINGS = {  # beside those of the tools
    "N8N_LISTEN_ADDRESS": "127.0.0.1",
    "N8N_SECURE_COOKIE": "false",
    # Nothing of it leaves this machine.
    "N8N_VERSION_NOTIFICATIONS_ENABLED": "false",
    "N8N_TEMPLATES_ENABLED": "false",
    "N8N_PERSONALIZATION_ENABLED": "false",
    "N8N_VERIFIED_PACKAGES_ENABLED": "false",
    "N8N_DISABLED_MODULES": "mcp-registry",
    "N8N_PYTHON_ENABLED": "false",
}


def free_ports() -> tuple[int, int]:
    """One for the editor and the webhooks, one for what n8n says to its own helpers."""
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        return int(one.getsockname()[1]), int(other.getsockname()[1])


@dataclass(frozen=True)
class Installed:
    """An n8n that can be started, and the file of a package for it."""

    folder: Path
    tools: Toolchain
    package: Path

    @contextmanager
    def started(self, home: Path, ports: tuple[int, int]) -> Iterator[str]:
        """A running server's address; one that is begun again with the same home and ports is the same server."""
        if not (home / ".n8n").exists():
            _install(self.tools, self.package, home)
        url = f"http://127.0.0.1:{ports[0]}"
        log = home / "server.log"
        with log.open("a") as told:
            process = subprocess.Popen(
                [self.tools.node.program, str(self.folder / "node_modules" / "n8n" / "bin" / "n8n"), "start"],
                env=self._environment(home, ports),
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

    def _environment(self, home: Path, ports: tuple[int, int]) -> dict[str, str]:
        return {
            **self.tools.environment,
            **SETTINGS,
            "N8N_USER_FOLDER": str(home),
            "N8N_PORT": str(ports[0]),
            "N8N_RUNNERS_BROKER_PORT": str(ports[1]),
            "N8N_WEBHOOK_URL": f"http://127.0.0.1:{ports[0]}/",
        }


def _install(tools: Toolchain, package: Path, home: Path) -> None:
    """Puts the package where n8n looks, by the line that its README prints."""
    done = subprocess.run(
        ["sh", "-c", f"npm install --prefix ~/.n8n/nodes ./{package.name}"],
        cwd=package.parent,
        env={**tools.environment, "HOME": str(home), "npm_config_cache": npm_cache(tools)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def npm_cache(tools: Toolchain) -> str:
    """The cache of whoever runs the tests: another home would have an empty one."""
    command = [*tools.node.npm, "config", "get", "cache"]
    return subprocess.run(command, env=tools.environment, capture_output=True, text=True, check=True).stdout.strip()


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
