"""Both packages that run on plain Node, each in its platform's own engine, at the service and at a host."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import pytest

from connector import Connector, Credential
from connector.core.service.wire import Wire
from connector.export.shape import ExportOptions
from connector.runtime.session import Session
from tests.interfaces.host.running_host import TOKEN, RunningHost, running
from tests.platforms.node_packages.engines.activepieces import Activepieces
from tests.platforms.node_packages.engines.node_red import NodeRed
from tests.platforms.node_packages.engines.stand import Stand
from tests.support.running_sandbox import RunningSandbox

KEY = "sandbox-key"
HURRY = 200
"""How many times as fast pauses pass: a look-up in vain would take twelve seconds."""
ENGINES = {"node-red": NodeRed, "activepieces": Activepieces}
Way = Literal["service", "host"]
Engines = Callable[..., Any]
"""The engine of a platform with the package for a way; further options make another one."""


@pytest.fixture(scope="session")
def engines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    started: dict[Any, Any] = {}
    connector = Connector("unused")
    with ExitStack() as ends:

        def engine(kind: str, way: Way, using: Connector = connector, **options: Any) -> Any:
            key = (kind, way, id(using), str(options))
            if key not in started:
                made = ExportOptions(via=way, **{"wire": Wire.load({}), **options})
                started[key] = ENGINES[kind](tmp_path_factory.mktemp(kind), made, using, HURRY)
                ends.callback(started[key].close)
            return started[key]

        yield engine


@pytest.fixture(params=ENGINES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=["service", "host"])
def way(request: pytest.FixtureRequest) -> Way:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture
def host(sandbox: RunningSandbox, tmp_path: Path) -> Iterator[RunningHost]:
    with running(sandbox, tmp_path / "host") as host:
        yield host


@pytest.fixture
def direct(kind: str, engines: Engines, sandbox: RunningSandbox) -> Stand:
    """At the service."""
    sandbox.order("/limits", limit=1_000_000)
    stand: Stand = engines(kind, "service").stand({"baseUrl": sandbox.url, "apiKey": KEY})
    return stand


@pytest.fixture
def hosted(kind: str, engines: Engines, sandbox: RunningSandbox, host: RunningHost) -> Stand:
    """At a host."""
    sandbox.order("/limits", limit=1_000_000)
    stand: Stand = engines(kind, "host").stand({"baseUrl": host.url, "apiKey": KEY, "hostToken": TOKEN})
    return stand


@pytest.fixture
def stand(kind: str, way: Way, request: pytest.FixtureRequest) -> Stand:
    """At either."""
    return request.getfixturevalue("direct" if way == "service" else "hosted")  # type: ignore[no-any-return]


@pytest.fixture
def session(sandbox: RunningSandbox, kind: str, tmp_path: Path) -> Iterator[Session]:
    """The runtime beside it, under the same label."""
    connector = Connector(str(tmp_path / "beside"))
    with connector.open(Credential(sandbox.url, KEY, quelle=kind, wire=Wire.load({}))) as session:
        yield session
    connector.close()
