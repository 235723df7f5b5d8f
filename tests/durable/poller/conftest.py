"""A host's stage on SQLite, closed after each test."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from engine_stage import HandClock, Stage
from service_desk import Desk
from store.postgres import postgres_server, postgres_url

from connector.core.client import key_states

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture(autouse=True)
def _own_rate_window(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sandbox begins anew for each test, and so does what this process knows of the key's window."""
    monkeypatch.setattr(key_states, "_by_key", {})


@pytest.fixture
async def stages(desk: Desk, tmp_path: Path) -> AsyncIterator[Callable[..., Stage]]:
    """Makes hosts on one store."""
    made: list[Stage] = []
    clock = HandClock()

    def make(**settings: Any) -> Stage:
        made.append(Stage(desk, str(tmp_path), clock, **settings))
        return made[-1]

    yield make
    for stage in made:
        await stage.close()


@pytest.fixture
def stage(stages: Callable[..., Stage]) -> Stage:
    return stages()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes minutes; run with -m slow")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "slow" in str(config.getoption("-m")):
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="takes minutes; run with -m slow"))
