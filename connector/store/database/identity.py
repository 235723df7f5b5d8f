"""Notices that the database is no longer the one that this process opened.

SQLite goes on writing into a file that was deleted or replaced, and what it records there is lost: a write recorded so
would be sent again by the next process. A server may be given another database of the same name, or a backup, while
hosts run. Whoever notices sends nothing more; a new start works with what is there.

| what happened | noticed by | when |
|---|---|---|
| the file, or the log of changes beside it, was deleted or replaced | device and inode | before every commit |
| another server, database or set of tables | their numbers, which no backup restores | on connecting, with every beat |
| put back to an earlier state, however that was done | the counter of the hosts' clock goes back | with every beat |
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Select, event, literal_column, select
from sqlalchemy.exc import DBAPIError

from connector.core.messages import say
from connector.core.timing import BEAT_SECONDS
from connector.store.database.errors import StoreReplaced, is_contention, is_outage
from connector.store.database.leases import CLOCK
from connector.store.schema import leases

IN_MEMORY = ":memory:"
_COUNTER = [
    select(column).where(leases.c.name == CLOCK).scalar_subquery() for column in (leases.c.fence, leases.c.beat)
]
_DATABASE = ("(SELECT oid FROM pg_database WHERE datname = current_database())", "to_regclass('kontor_database')::oid")
_SERVER = "(SELECT system_identifier FROM pg_control_system())"
_QUERIES: Mapping[str, tuple[Select[Any], ...]] = {
    "sqlite": (select(*_COUNTER),),
    "postgresql": tuple(
        select(*_COUNTER, *map(literal_column, numbers)) for numbers in ((*_DATABASE, _SERVER), _DATABASE)
    ),
}
"""The first that works is used: not every provider of PostgreSQL lets users ask for the number of the server."""
FileId = tuple[int, int] | None
Counter = tuple[int, int]
NO_COUNTER: Counter = (0, 0)


class DatabaseIdentity:
    """What this process knows of its database. Used under the lock of whoever writes."""

    def __init__(self, engine: Engine) -> None:
        self._queries = list(_QUERIES[engine.dialect.name])
        path = engine.url.database if engine.dialect.name == "sqlite" else None
        self._path = Path(path) if path and path != IN_MEMORY else None
        self._wal_path = None if self._path is None else self._path.with_name(f"{self._path.name}-wal")
        self._handle: int | None = None
        self._file = self._wal = None if self._path is None else _id_of(self._path)
        self._wal_known = False
        self._new_connection = True
        self._numbers: tuple[Any, ...] | None = None
        self._counter = self._earlier_counter = NO_COUNTER
        self._checked_at = float("-inf")
        if self._path is not None:
            if hasattr(os, "O_PATH"):  # while it is held, the number of a deleted file is given to no other
                self._handle = os.open(self._path, os.O_PATH | os.O_CLOEXEC)
            # SQLite would create the file anew, and readers would find no tables.
            event.listen(engine, "do_connect", lambda *_: self.check_file())

    def connected(self) -> None:
        """Take note of a new connection for writing: the log of changes belongs to the connections that are open."""
        self._wal_known, self._new_connection = False, True

    def check_file(self) -> None:
        """Raise when the file was deleted or replaced; costs microseconds."""
        if self._path is None:
            return
        found = _id_of(self._path)
        if found != self._file:
            raise _replaced("store_file_gone" if found is None else "store_replaced")

    def check_before_commit(self) -> None:
        """Raise when what is about to be committed would be lost with a file that is not there any more."""
        if self._wal_path is None:
            return
        self.check_file()
        wal = _id_of(self._wal_path)
        if not self._wal_known:
            self._wal, self._wal_known = wal, True
        elif wal != self._wal:
            raise _replaced("store_file_gone" if wal is None else "store_replaced")

    def check(self, connection: Connection) -> None:
        """Ask the database itself, once per beat; raise when it is another one, or was put back to an earlier state."""
        moment = time.monotonic()
        beat_due = moment - self._checked_at >= BEAT_SECONDS
        if not beat_due and not self._new_connection:
            return
        self.check_file()
        fence, beat, *numbers = self._ask(connection)
        if self._numbers is None:
            self._numbers = tuple(numbers)
        counter = (fence or 0, beat or 0)
        # A server that crashed may have lost the newest beat, which was not durable, but never the one before.
        if self._numbers != tuple(numbers) or counter < self._earlier_counter:
            raise _replaced("store_replaced")
        self._new_connection = False
        if beat_due:
            self._earlier_counter, self._counter = min(self._counter, counter), counter
            self._checked_at = moment

    def close(self) -> None:
        """Release what is held; the database is not used any more."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _ask(self, connection: Connection) -> tuple[Any, ...]:
        try:
            return tuple(connection.execute(self._queries[0]).one())
        except DBAPIError as error:
            if is_outage(error) or is_contention(error):
                raise
            if self._numbers is not None or len(self._queries) == 1:
                raise _replaced("store_replaced") from error  # the tables are gone
        finally:
            connection.rollback()
        del self._queries[0]
        return self._ask(connection)


def _id_of(path: Path) -> FileId:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _replaced(message: str) -> StoreReplaced:
    return StoreReplaced(say(message), remedy=say(f"{message}_remedy"), reason=message)
