"""Fixtures for the engine: hosts on one SQLite database, closed after each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from connector.client import key_states
from tests.durable.poller.engine_host import EngineHost, ManualClock
from tests.store.postgres import postgres_server, postgres_url
from tests.support.running_sandbox import Receiver, RunningSandbox

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture(autouse=True)
def _own_rate_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reset this process's rate window for each test, like the sandbox."""
    monkeypatch.setattr(key_states, "_by_key", {})


@pytest.fixture
async def make_host(sandbox: RunningSandbox, tmp_path: Path) -> AsyncIterator[Callable[..., EngineHost]]:
    """Create hosts on one database."""
    hosts: list[EngineHost] = []
    clock = ManualClock()

    def make(**settings: Any) -> EngineHost:
        hosts.append(EngineHost(sandbox, str(tmp_path), clock, **settings))
        return hosts[-1]

    yield make
    for engine_host in hosts:
        await engine_host.close()


@pytest.fixture
def engine_host(make_host: Callable[..., EngineHost]) -> EngineHost:
    return make_host()


@pytest.fixture
def flow() -> Iterator[Receiver]:
    """The address of a flow."""
    receiver = Receiver()
    yield receiver
    receiver.close()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes minutes; run with -m slow")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "slow" in str(config.getoption("-m")):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="takes minutes; run with -m slow"))
