"""Test fixture: a complete host on a real socket in its own thread, and HTTP clients for it."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import httpx

from connector import Connector, Credential
from connector.client.governor import Governor
from connector.client.key_states import key_state
from connector.durable.settings import Settings
from connector.interfaces.host.app import build
from connector.interfaces.host.logs import QUIET_LOGGERS, JsonFormatter
from connector.interfaces.host.server import HostServer, address_of, listen
from connector.interfaces.host.start import build_state
from connector.interfaces.host_state import HostSettings, HostState
from connector.sandbox.banking.demo import MAIN_ACCOUNT
from connector.store.trust.vault import Vault
from tests.support.running_sandbox import HOST_TOKEN, RunningSandbox

TOKEN = HOST_TOKEN
KEY = "sandbox-key"
QUICK = Settings(tick=0.1)
PAYMENT = {
    "account_id": MAIN_ACCOUNT,
    "creditor_name": "Reifen Voss KG",
    "creditor_iban": "DE02120300000000202051",
    "amount": 297.5,
    "currency_code": "EUR",
    "description": "Rechnung V-88120",
}


class RunningHost:
    """A running host, and a client with its token and the sandbox's key."""

    def __init__(self, state: HostState, server: HostServer, url: str, lines: io.StringIO, folder: Path) -> None:
        self.state = state
        self.server = server
        self.url = url
        self.folder = folder
        self._lines = lines
        self.http = self.caller(TOKEN, KEY)

    def caller(self, token: str | None = TOKEN, key: str | None = KEY, **more: str) -> httpx.Client:
        headers = {**({"authorization": f"Bearer {token}"} if token else {}), **({"x-api-key": key} if key else {})}
        return httpx.Client(base_url=self.url, headers={**headers, **more}, trust_env=False, timeout=30)

    def run(self, action: str, inputs: dict[str, Any] | None = None, **more: Any) -> httpx.Response:
        return self.http.post(f"/v1/actions/{action}/run", json={"inputs": inputs or {}, **more})

    def log(self) -> str:
        """Return all log lines so far, after flushing the buffer."""
        self.server.config.app._log.flush()  # type: ignore[union-attr]
        return self._lines.getvalue()


@contextmanager
def running(
    sandbox: RunningSandbox,
    folder: Path,
    *,
    data: str = "",
    trial: bool = True,
    separate_keys: bool = False,
    engine: Settings = QUICK,
    **settings: Any,
) -> Iterator[RunningHost]:
    """Run a host against the sandbox; with `trial` as `kontor serve --sandbox` does, otherwise as in production.

    With `separate_keys`, which `kontor serve` always has, each unknown key gets a workspace of its own.

    Its state is in `folder`, or in the database that `data` names.
    """
    sandbox.order("/limits", limit=1_000_000)
    credential = Credential(sandbox.url, KEY)
    key_state(credential).governor = Governor(limit=1_000_000)
    connector = Connector(data or str(folder), separate_keys=separate_keys)
    listening = listen("127.0.0.1", 0)
    url = address_of(listening)
    given: dict[str, Any] = {"base_url": sandbox.url, "console": False, "own_credential": credential, **settings}
    state = build_state(
        connector,
        Vault(str(folder)),
        TOKEN,
        HostSettings(**given),
        url if trial else "https://kontor.example",
        sandbox.url if trial else None,
        private_targets=trial,
        engine_settings=engine,
    )
    ready, lines = Event(), io.StringIO()
    server = HostServer(build(state), state, ready.set)
    handler = logging.StreamHandler(lines)
    handler.setFormatter(JsonFormatter([TOKEN]))
    root, level = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    for loud in QUIET_LOGGERS:
        logging.getLogger(loud).setLevel(logging.WARNING)
    thread = Thread(target=server.run, args=([listening],), name="host")
    thread.start()
    try:
        assert ready.wait(20)
        host = RunningHost(state, server, url, lines, folder)
        with host.http:
            yield host
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()
        listening.close()
        connector.close()
        root.removeHandler(handler)
        root.setLevel(level)
