"""SQLAlchemy engines for SQLite and PostgreSQL, set up so that no statement waits for ever."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Dialect, Engine, create_engine, event, make_url

from connector.core.messages import say
from connector.store.database.errors import StoreRefused
from connector.store.database.files import FILE, create_private

if TYPE_CHECKING:
    from connector.store.database.postgresql import DeadlineConnection

BUSY_TIMEOUT_MS = 5_000
"""How long SQLite waits for another process that writes to the same file."""
CHECKPOINT_PAGES = 4_000
"""So many pages, 16 MB, are written ahead before they go into the file: pages that change often go there once for
many changes. SQLite's own 1,000 are full after 3,000 bank rows."""
POOL_SECONDS = 10
"""How long a reader waits for a connection while all are in use."""
SQLITE_PRAGMAS = (
    f"busy_timeout={BUSY_TIMEOUT_MS}",
    "synchronous=FULL",
    "foreign_keys=ON",
    f"wal_autocheckpoint={CHECKPOINT_PAGES}",
)


def sqlite_engine(folder: Path) -> Engine:
    """Return an engine for the database in this folder, which is created if needed and private to its owner."""
    path = folder / FILE
    create_private(folder, path)
    engine = create_engine(f"sqlite:///{path}", connect_args={"check_same_thread": False}, hide_parameters=True)

    def prepare(handle: Any, _record: Any) -> None:
        handle.isolation_level = None  # we begin transactions ourselves, so that a write takes its lock at once
        try:
            for pragma in SQLITE_PRAGMAS:
                handle.execute(f"PRAGMA {pragma}")
            handle.execute("SELECT 1 FROM sqlite_master LIMIT 1")
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode in {sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT}:
                message, remedy = say("store_not_a_database", path=path), say("store_not_a_database_remedy")
                raise StoreRefused(message, remedy=remedy) from None
            raise

    event.listen(engine, "connect", prepare)
    return engine


def postgresql_engine(url: str) -> Engine:
    """Return an engine for a PostgreSQL database."""
    # What is stored is no part of an error's text, which may end in a log.
    engine = create_engine(url, pool_pre_ping=True, pool_timeout=POOL_SECONDS, hide_parameters=True)
    if make_url(url).get_driver_name() == "psycopg":
        event.listen(engine, "do_connect", _connect)
    return engine


def _connect(_dialect: Dialect, _record: Any, arguments: Any, parameters: dict[str, Any]) -> DeadlineConnection:
    from connector.store.database.postgresql import connect

    return connect(*arguments, **parameters)
