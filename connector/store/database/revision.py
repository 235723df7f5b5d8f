"""Decides whether this code may use a database, and migrates it if it is older.

Revisions are numbers that grow. Alembic's table holds the revision of the database; `kontor_database` holds the oldest
revision whose code may still use it, so that two neighbouring versions of Kontor can run side by side.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError

from connector.core.messages import say
from connector.store.database.errors import StoreRefused, is_outage
from connector.store.schema import OLDEST_CODE, REVISION, kontor_database, metadata, schema_version

QUERY = text("SELECT version_num, oldest_code FROM alembic_version CROSS JOIN kontor_database")
ALEMBIC_TABLE = (
    "CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY"
    " (version_num))"
)
FROM_BEFORE_ALEMBIC = {"schema_version", "journal", "usage", "balances", "budgets"}
"""Tables of every database from before Alembic."""
ADVISORY_LOCK = 0x6B6F6E746F72
"""The number of PostgreSQL's lock under which one process migrates while others wait: 'kontor' in ASCII."""
MIGRATION_SECONDS = 600
"""How long PostgreSQL may take for a statement of a migration, and for the migration of another process."""


def is_current(connection: Connection) -> bool:
    """Return whether the database needs no migration; raise when this code is too old for it."""
    try:
        return _is_current(connection)
    except DBAPIError as error:
        if is_outage(error):
            raise
        return False  # the tables are not there
    finally:
        connection.rollback()


def upgrade(connection: Connection) -> None:
    """Create or migrate the database in the caller's transaction, which on SQLite holds the write lock."""
    if connection.dialect.name == "postgresql":
        _allow_long_statements(connection)
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({ADVISORY_LOCK})")
    if not inspect(connection).get_table_names():
        _create(connection)
        return
    if _has_revision(connection) and _is_current(connection):  # another process has just migrated it
        return
    from connector.store.migrations.run import migrate

    migrate(connection)


def _create(connection: Connection) -> None:
    """Create the newest tables in an empty database, which is what all migrations together do, and quicker."""
    metadata.create_all(connection, checkfirst=False)
    connection.exec_driver_sql(ALEMBIC_TABLE)
    connection.execute(text("INSERT INTO alembic_version VALUES (:revision)"), {"revision": f"{REVISION:04}"})
    connection.execute(kontor_database.insert().values(oldest_code=OLDEST_CODE))
    connection.execute(schema_version.insert().values(version=OLDEST_CODE))


def check_still_usable(connection: Connection) -> None:
    """Raise when the database was replaced or migrated so that this running process must not use it any more."""
    if not is_current(connection):
        _has_revision(connection)  # raises for a foreign one
        raise StoreRefused(say("store_older"), remedy=say("store_older_remedy"))


def _allow_long_statements(connection: Connection) -> None:
    """Lift the limits of this transaction, and of this connection, which does nothing else."""
    for setting in ("statement_timeout", "lock_timeout"):
        connection.exec_driver_sql(f"SET LOCAL {setting} = '{MIGRATION_SECONDS}s'")
    handle: Any = connection.connection.dbapi_connection
    if hasattr(handle, "answer_seconds"):  # not with another driver
        handle.answer_seconds = MIGRATION_SECONDS


def _is_current(connection: Connection) -> bool:
    row = connection.execute(QUERY).one_or_none()
    if row is None or int(row.version_num) < REVISION:
        return False
    if row.oldest_code > REVISION:
        raise StoreRefused(say("store_newer", needed=row.oldest_code, known=REVISION), remedy=say("store_newer_remedy"))
    return True


def _has_revision(connection: Connection) -> bool:
    """Return whether Alembic has recorded a revision; raise when the tables are those of another program."""
    tables = set(inspect(connection).get_table_names())
    if {"alembic_version", "kontor_database"} <= tables:
        return True
    if tables and not tables >= FROM_BEFORE_ALEMBIC:
        details = {"tables": sorted(tables)[:20]}
        raise StoreRefused(say("store_foreign"), remedy=say("store_foreign_remedy"), details=details)
    return False
