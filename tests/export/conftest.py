"""The exports at work: engines that interpret the packages, and the runtime itself for comparison."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from connector import Connector, Credential
from connector.core.service.wire import Wire
from connector.export import make, power_automate
from connector.export.shape import ExportOptions
from connector.runtime.session import Session
from connector.sandbox.server import SandboxServer
from tests.export.interpreter.make_engine import MakeEngine
from tests.export.interpreter.power_engine import PowerEngine
from tests.interfaces.host.running_host import TOKEN, RunningHost, running
from tests.support.running_sandbox import RunningSandbox

CONNECTOR = Connector("unused")
KEY = "sandbox-key"
OTHER_NAMES = {
    "ledger": {"connection": "verbindung", "client": "mandant"},
    "folders": {"type": "art"},
    "opos": {"cutoff": "per", "side": "seite", "opening_balance": "eb"},
    "susa": {"account": "konto"},
    "accounts": {"payments_only": "zahlbar"},
    "transactions": {"end_date": "bis"},
    "payments": {"connection": "bankverbindung", "account": "bankkonto", "limit": "anzahl"},
    "lookup": {"marker": {"in": "header", "name": "X-Formular", "value": "ja"}},
    "payment": {"body": {"account_id": "konto", "amount": "betrag", "custom_fields": "eigene"}},
    "connect": {"body": {"provider_code": "bank", "return_url": "zurueck"}},
}


@contextmanager
def opened(sandbox: RunningSandbox, folder: Path, quelle: str, wire: Wire) -> Iterator[Session]:
    connector = Connector(str(folder))
    with connector.open(Credential(sandbox.url, KEY, quelle=quelle, wire=wire)) as session:
        yield session
    connector.close()


@pytest.fixture
def make_session(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[Session]:
    sandbox.order("/limits", limit=1_000_000)
    with opened(sandbox, tmp_path / "runtime", "make", Wire.with_overrides({})) as session:
        yield session


@pytest.fixture
def power_session(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[Session]:
    sandbox.order("/limits", limit=1_000_000)
    with opened(sandbox, tmp_path / "runtime", "power-automate", Wire.with_overrides({})) as session:
        yield session


def _make_engine(sandbox: RunningSandbox, wire: Wire) -> MakeEngine:
    return MakeEngine(
        make.build(CONNECTOR, ExportOptions(wire=wire, with_writes=True)), {"apiKey": KEY, "baseUrl": sandbox.url}
    )


def _power_engine(sandbox: RunningSandbox, wire: Wire) -> PowerEngine:
    options = ExportOptions(base_url=sandbox.url, wire=wire, with_writes=True)
    return PowerEngine(power_automate.build(CONNECTOR, options), {"api_key": KEY})


@pytest.fixture
def make_engine(sandbox: RunningSandbox) -> MakeEngine:
    return _make_engine(sandbox, Wire.with_overrides({}))


@pytest.fixture
def power_engine(sandbox: RunningSandbox) -> PowerEngine:
    return _power_engine(sandbox, Wire.with_overrides({}))


@pytest.fixture(scope="module")
def _elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    """A service that calls everything otherwise."""
    path = tmp_path_factory.mktemp("wire") / "wire.json"
    path.write_text(json.dumps(OTHER_NAMES))
    with ExitStack() as stack:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("KONTOR_WIRE", str(path))
            server = stack.enter_context(SandboxServer(allow_loopback_webhooks=True))
        sandbox = RunningSandbox(server)
        sandbox.order("/limits", limit=1_000_000)
        yield sandbox
        sandbox.close()


@pytest.fixture
def make_elsewhere(_elsewhere: RunningSandbox, tmp_path: Path) -> Iterator[tuple[MakeEngine, Session]]:
    wire = Wire.with_overrides(OTHER_NAMES)
    with opened(_elsewhere, tmp_path, "make", wire) as session:
        yield _make_engine(_elsewhere, wire), session


@pytest.fixture
def power_elsewhere(_elsewhere: RunningSandbox, tmp_path: Path) -> Iterator[tuple[PowerEngine, Session]]:
    wire = Wire.with_overrides(OTHER_NAMES)
    with opened(_elsewhere, tmp_path, "power-automate", wire) as session:
        yield _power_engine(_elsewhere, wire), session


@pytest.fixture
def a_host(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[RunningHost]:
    with running(sandbox, tmp_path / "host") as host:
        yield host


@pytest.fixture
def make_through_host(a_host: RunningHost) -> MakeEngine:
    export = make.build(CONNECTOR, ExportOptions(via="host"))
    return MakeEngine(export, {"apiKey": KEY, "hostToken": TOKEN, "hostUrl": a_host.url})


@pytest.fixture
def power_through_host(a_host: RunningHost) -> PowerEngine:
    export = power_automate.build(CONNECTOR, ExportOptions(via="host", host_url=a_host.url))
    return PowerEngine(export, {"api_key": KEY, "host_token": TOKEN})
