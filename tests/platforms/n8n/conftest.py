"""The exported packages, built with n8n's own tools and loaded by its own engine, once for all tests here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from connector import Connector, Credential
from connector.core.service.wire import Wire
from connector.export.shape import ExportOptions
from connector.runtime.session import Session
from tests.interfaces.host.running_host import RunningHost, running
from tests.platforms.n8n.engine.n8n_engine import Engine, Stand
from tests.platforms.n8n.engine.n8n_package import built, transpiled
from tests.platforms.n8n.engine.n8n_tools import Toolchain, toolchain
from tests.support.running_sandbox import RunningSandbox

KEY = "sandbox-key"


@pytest.fixture(scope="session")
def tools() -> Toolchain:
    return toolchain()


@pytest.fixture(scope="session")
def package(tools: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package for the service, built as its README says."""
    return built(tools, tmp_path_factory.mktemp("package") / "n8n-nodes-kontor", ExportOptions(wire=Wire.load({})))


@pytest.fixture(scope="session")
def engine(tools: Toolchain, package: Path) -> Iterator[Engine]:
    engine = Engine(tools, package)
    yield engine
    engine.close()


@pytest.fixture
def stand(engine: Engine, sandbox: RunningSandbox) -> Stand:
    sandbox.order("/limits", limit=1_000_000)
    return Stand(engine, {"baseUrl": sandbox.url, "apiKey": KEY})


@pytest.fixture
def session(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[Session]:
    """The runtime beside it, under the same label."""
    connector = Connector(str(tmp_path))
    with connector.open(Credential(sandbox.url, KEY, quelle="n8n", wire=Wire.load({}))) as session:
        yield session
    connector.close()


@pytest.fixture(scope="session")
def host_engine(tools: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """The package that talks to a host."""
    folder = tmp_path_factory.mktemp("via-host") / "n8n-nodes-kontor"
    engine = Engine(tools, transpiled(tools, folder, ExportOptions(via="host", wire=Wire.load({}))))
    yield engine
    engine.close()


@pytest.fixture
def host(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[RunningHost]:
    with running(sandbox, tmp_path / "host") as host:
        yield host
