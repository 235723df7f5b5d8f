"""Test fixture: a host with console and engine on a real socket, connected to the sandbox."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

from connector import Connector, Credential
from connector.interfaces.host.app import build
from connector.interfaces.host.server import HostServer
from connector.interfaces.host.start import build_state
from connector.interfaces.host_state import HostSettings, HostState
from connector.sandbox.server import SandboxServer
from connector.store.trust.vault import Vault
from tests.support.running_sandbox import HOST_TOKEN
from tests.support.troubles import Troubles

KEY = "sandbox-key"


class RunningConsole:
    """A running host; `url` is the console's."""

    def __init__(self, state: HostState, sandbox: SandboxServer, base: str) -> None:
        self.state, self.sandbox, self.base = state, sandbox, base
        self.url = f"{base}/console"

    def link(self) -> str:
        """Return a one-time login link."""
        return f"{self.url}?token={self.state.issue_login_token()}"


@contextmanager
def running_console(folder: Path, *, own_credential: bool = True, port: int = 0) -> Iterator[RunningConsole]:
    with SandboxServer(allow_loopback_webhooks=True, auto_payments=False) as sandbox:
        listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        base = f"http://127.0.0.1:{listening.getsockname()[1]}"
        state = _state(folder, sandbox, base, own_credential)
        ready = Event()
        server = HostServer(build(state), state, ready.set)
        thread = Thread(target=server.run, args=([listening],), daemon=True)
        thread.start()
        try:
            assert ready.wait(30)
            yield RunningConsole(state, sandbox, base)
        finally:
            server.should_exit = True
            thread.join(120)
            assert not thread.is_alive(), "NiceGUI serves one host at a time: this one would disturb the next"
            state.connector.close()


@contextmanager
def troubled_console(folder: Path) -> Iterator[tuple[RunningConsole, Troubles]]:
    """A host at which everything is wrong that can be, so that every page has something to show."""
    with running_console(folder) as console:
        state = console.state
        now, url = state.context.now(), console.sandbox.url
        yield (
            console,
            state.database.write(lambda c: Troubles(c, state.connector, state.vault, now, url)).result(),
        )


@contextmanager
def resting_console(folder: Path) -> Iterator[RunningConsole]:
    """The same without server and engine, so that nobody but the test calls the service."""
    with SandboxServer(allow_loopback_webhooks=True, auto_payments=False) as sandbox:
        state = _state(folder, sandbox, "http://127.0.0.1:9", own_credential=True)
        try:
            yield RunningConsole(state, sandbox, "http://127.0.0.1:9")
        finally:
            state.connector.close()


def _state(folder: Path, sandbox: SandboxServer, base: str, own_credential: bool) -> HostState:
    own = Credential(sandbox.url, KEY) if own_credential else None
    settings = HostSettings(base_url=sandbox.url, own_credential=own)
    connector, vault = Connector(str(folder)), Vault(str(folder))
    return build_state(connector, vault, HOST_TOKEN, settings, base, sandbox.url, private_targets=True)
