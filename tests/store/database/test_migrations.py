"""Migrations: one query for a current database, one process at a time, and no database that is not ours."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from connector.store import Database, open_database
from connector.store.database.errors import StoreRefused
from connector.store.migrations import run
from connector.store.schema import REVISION, metadata
from connector.store.triggers import due_work
from tests.store.old_databases import plain_engine

VERSIONS = Path(run.FOLDER) / "versions"


def change(location: str, *statements: str) -> None:
    """Change an existing database."""
    database = open_database(location)
    for statement in statements:
        database.write(lambda connection, one=statement: connection.execute(text(one))).result()
    database.close()


def test_the_migrations_lead_to_the_tables_of_the_schema(location: str) -> None:
    engine = plain_engine(location)
    with engine.begin() as connection:
        run.migrate(connection)
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert list(compare_metadata(context, metadata)) == []
    engine.dispose()


def test_a_new_database_says_the_same_of_itself_as_one_that_was_migrated(database: Database) -> None:
    own = text("SELECT version_num, oldest_code, version FROM alembic_version, kontor_database, schema_version")
    stored = database.read(lambda connection: connection.execute(own).one())
    assert tuple(stored) == (f"{REVISION:04}", run.oldest_code(), run.oldest_code())


def test_the_schema_names_the_newest_migration() -> None:
    numbers = sorted(int(path.name[:4]) for path in VERSIONS.glob("[0-9]*.py"))
    assert numbers == list(range(1, REVISION + 1))


def test_no_migration_imports_the_schema_of_today() -> None:
    for path in VERSIONS.glob("*.py"):
        assert not re.search(r"store(\.| import )schema", path.read_text(encoding="utf-8")), path.name


def test_a_database_that_is_up_to_date_opens_without_alembic(location: str) -> None:
    open_database(location).close()
    script = f"import sys; from connector.store import open_database; open_database({location!r}).close(); "
    script += "sys.exit('alembic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_processes_that_open_a_new_database_at_once_create_it_once(location: str) -> None:
    script = f"from connector.store import open_database; open_database({location!r}).close()"
    opening = [subprocess.Popen([sys.executable, "-c", script]) for _ in range(4)]
    assert [process.wait(timeout=60) for process in opening] == [0, 0, 0, 0]
    database = open_database(location)
    assert database.read(lambda c: c.execute(text("SELECT count(*) FROM kontor_database")).scalar_one()) == 1
    database.close()


def test_a_database_at_an_older_revision_is_migrated_when_opened(location: str) -> None:
    engine = plain_engine(location)
    with engine.begin() as connection:
        run.migrate(connection, "0001")
    engine.dispose()
    database = open_database(location)
    stored = database.read(lambda c: c.execute(text("SELECT version_num FROM alembic_version")).scalar_one())
    assert int(stored) == REVISION
    assert database.read(lambda c: c.execute(text("SELECT count(*) FROM cursors")).scalar_one()) == 0
    database.close()


def test_a_newer_database_that_still_allows_this_code_opens(location: str) -> None:
    change(location, f"UPDATE alembic_version SET version_num = '{REVISION + 1:04}'")
    database = open_database(location)
    stored = database.read(lambda c: c.execute(text("SELECT version_num FROM alembic_version")).scalar_one())
    assert int(stored) == REVISION + 1, "it is used as it is"
    database.write(lambda c: due_work.schedule(c, due_work.POLLS, "a", datetime.now(UTC))).result()
    database.close()


def test_a_newer_database_that_asks_for_newer_code_is_refused(location: str) -> None:
    change(
        location,
        f"UPDATE alembic_version SET version_num = '{REVISION + 1:04}'",
        f"UPDATE kontor_database SET oldest_code = {REVISION + 1}",
    )
    with pytest.raises(StoreRefused, match="newer version of Kontor"):
        open_database(location)


def test_code_from_before_alembic_finds_the_number_that_it_compares(database: Database) -> None:
    stored = database.read(
        lambda c: c.execute(text("SELECT version, oldest_code FROM schema_version, kontor_database")).one()
    )
    assert stored.version == stored.oldest_code == run.oldest_code()
