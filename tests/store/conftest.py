"""Runs the tests of the store on SQLite and on PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from connector.store import Database, open_database
from tests.store.breakable_postgres import breakable_postgres
from tests.store.postgres import another_postgres_url, postgres_server, postgres_url

__all__ = ["another_postgres_url", "breakable_postgres", "postgres_server", "postgres_url"]


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path) if request.param == "sqlite" else str(request.getfixturevalue("postgres_url"))


@pytest.fixture
def database(location: str) -> Iterator[Database]:
    database = open_database(location)
    yield database
    database.close()


@pytest.fixture
def write(database: Database) -> Callable[[Callable[[Any], Any]], Any]:
    """Commit a change and wait for it."""
    return lambda change: database.write(change).result()
