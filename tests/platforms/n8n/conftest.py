"""The exported packages, built with n8n's own tools and loaded by its own engine, once for all tests here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from n8n_engine import Engine, Stand
from n8n_package import built, transpiled
from n8n_tools import Toolchain, toolchain
from running_host import RunningHost, running
from service_desk import Desk

from connector import Connector, Credential
from connector.core.wire import Wire
from connector.export.shape import ExportOptions
from connector.runtime.session import Session

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
def stand(engine: Engine, desk: Desk) -> Stand:
    desk.order("/limits", limit=1_000_000)
    return Stand(engine, {"baseUrl": desk.url, "apiKey": KEY})


@pytest.fixture
def session(desk: Desk, tmp_path: Path) -> Iterator[Session]:
    """The runtime beside it, under the same label."""
    connector = Connector(str(tmp_path))
    with connector.open(Credential(desk.url, KEY, quelle="n8n", wire=Wire.load({}))) as session:
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
def host(desk: Desk, tmp_path: Path) -> Iterator[RunningHost]:
    with running(desk, tmp_path / "host") as host:
        yield host
