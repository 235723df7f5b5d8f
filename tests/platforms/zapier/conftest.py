"""The exported app in Zapier's own engine, against the sandbox and against a host in front of it."""

from __future__ import annotations

import pytest

from connector import Connector, Credential
from connector.core.service.wire import Wire
from connector.export import zapier
from connector.export.catalogue import write
from connector.export.shape import ExportOptions
from tests.interfaces.host.running_host import running
from tests.platforms.zapier.zapier_engine import Engine


@pytest.fixture
def session(sandbox, tmp_path):
    """The runtime itself, for comparison."""
    sandbox.order("/limits", limit=1_000_000)
    connector = Connector(str(tmp_path / "data"))
    with connector.open(Credential(sandbox.url, "sandbox-key", quelle="zapier")) as session:
        yield session
    connector.close()


@pytest.fixture(scope="session")
def app(tmp_path_factory):
    folder = tmp_path_factory.mktemp("zapier-service")
    write(zapier.build(Connector("unused"), ExportOptions(wire=Wire.load({}))), folder)
    return folder


@pytest.fixture(scope="session")
def _engine(app):
    engine = Engine(app, {})
    yield engine
    engine.close()


@pytest.fixture
def engine(_engine, sandbox):
    sandbox.order("/limits", limit=1_000_000)
    _engine.auth = {"base_url": sandbox.url, "api_key": "sandbox-key"}
    return _engine


@pytest.fixture(scope="session")
def hosted(tmp_path_factory):
    """The app that talks to a host."""
    folder = tmp_path_factory.mktemp("zapier-host")
    write(zapier.build(Connector("unused"), ExportOptions(via="host")), folder)
    engine = Engine(folder, {})
    yield engine
    engine.close()


@pytest.fixture
def host(sandbox, tmp_path):
    with running(sandbox, tmp_path / "host") as host:
        yield host
