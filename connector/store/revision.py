"""Decides whether this code may use a database, and migrates it if it is older.

Revisions are numbers that grow. Alembic's table holds the revision of the database; `kontor_database` holds the oldest
revision whose code may still use it, so that two neighbouring versions of Kontor can run side by side.
"""

from __future__ import annotations

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import DBAPIError

from connector.core.messages import say
from connector.store.errors import StoreRefused
from connector.store.schema import REVISION

QUERY = text("SELECT version_num, oldest_code FROM alembic_version CROSS JOIN kontor_database")
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
    except DBAPIError:  # the tables are not there
        connection.rollback()
        return False


def upgrade(connection: Connection) -> None:
    """Create or migrate the database in the caller's transaction, which on SQLite holds the write lock."""
    if connection.dialect.name == "postgresql":
        for setting in ("statement_timeout", "lock_timeout"):
            connection.exec_driver_sql(f"SET LOCAL {setting} = '{MIGRATION_SECONDS}s'")
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({ADVISORY_LOCK})")
    tables = set(inspect(connection).get_table_names())
    known = {"alembic_version", "kontor_database"} <= tables
    if tables and not known and not tables >= FROM_BEFORE_ALEMBIC:
        raise StoreRefused(
            say("store_foreign", tables=", ".join(sorted(tables)[:5])), remedy=say("store_foreign_remedy")
        )
    if known and _is_current(connection):  # another process has just migrated it
        return
    from connector.store.migrations.run import migrate

    migrate(connection)


def _is_current(connection: Connection) -> bool:
    row = connection.execute(QUERY).one_or_none()
    if row is None or int(row.version_num) < REVISION:
        return False
    if row.oldest_code > REVISION:
        raise StoreRefused(say("store_newer", needed=row.oldest_code, known=REVISION), remedy=say("store_newer_remedy"))
    return True
