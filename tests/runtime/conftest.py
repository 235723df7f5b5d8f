"""A connector with a session at the sandbox, on SQLite and on PostgreSQL, for tests that say so by using them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from connector import Connector, Credential
from connector.runtime.session import Session
from connector.store.trust.vault import VARIABLE
from tests.store.postgres import postgres_server, postgres_url
from tests.support.running_sandbox import RunningSandbox

__all__ = ["postgres_server", "postgres_url"]


@pytest.fixture(params=["sqlite", "postgresql"])
def data(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path) if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def connector(sandbox: RunningSandbox, data: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connector]:
    monkeypatch.setenv(VARIABLE, Fernet.generate_key().decode())
    sandbox.order("/limits", limit=1_000_000)
    connector = Connector(data)
    yield connector
    connector.close()


@pytest.fixture
def session(connector: Connector, sandbox: RunningSandbox) -> Iterator[Session]:
    with connector.open(Credential(sandbox.url, "sandbox-key")) as session:
        yield session
