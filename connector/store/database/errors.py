"""How a database fails: errors of the store, and noticing when it goes away and is back."""

from __future__ import annotations

import logging
import sqlite3
import threading
import time

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoFreeConnection

from connector.core.errors import KontorError, StoreDown
from connector.core.messages import say


class StoreRefused(KontorError):
    """The database must not be used by this code. Trying again does not help."""

    kind = "store_refused"
    default_outcome = "not_sent"


class StoreReplaced(StoreRefused):
    """The database is not the one that this process opened, see `identity`. What is recorded in it could be lost."""


class DataKeyWrong(StoreRefused):
    """The database must not be used with this data key."""

    exit_status = 3


DATABASE_ERRORS: tuple[type[Exception], ...] = (SQLAlchemyError, sqlite3.Error, OSError, TimeoutError, StoreReplaced)


def store_down(error: Exception) -> StoreDown:
    """Return what is told of a write that was not sent, since the database could not record it."""
    if isinstance(error, StoreReplaced):
        return StoreDown(error.message, remedy=error.remedy, reason=error.reason)
    return StoreDown(say("store_down", why=type(error).__name__))


SQLITE_OUTAGES = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOTADB,
}
SQLSTATE_OUTAGES = ("08", "53", "57P", "58", "25006", "25P03")
"""Beginnings of SQLSTATE: connection, resources such as disk space, shutdown, system errors, a standby, and an idle
transaction ended by the server."""
SQLSTATE_CONTENTION = ("55P03", "40P01", "40001", "57014")
"""A lock that was not free in time, a deadlock, a conflict, a statement that took too long."""
ECHO_SECONDS = 10.0
"""How long after an outage a statement that began in it may still fail: that is not another outage."""
log = logging.getLogger("kontor.store")
log.addHandler(logging.NullHandler())  # where no logging is set up, the error itself says enough
# It logs a stack trace for each connection that an outage has broken.
logging.getLogger("sqlalchemy.pool").setLevel(logging.CRITICAL)


def is_outage(error: BaseException) -> bool:
    """Whether the error says that the database as a whole cannot be used right now."""
    if isinstance(error, NoFreeConnection | StoreReplaced):
        return True
    cause = getattr(error, "orig", None) or error
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in SQLITE_OUTAGES
    if not isinstance(error, DBAPIError):
        return False
    state = _sqlstate(error)
    if error.connection_invalidated or state.startswith(SQLSTATE_OUTAGES):
        return True
    return not state and isinstance(error, OperationalError | InterfaceError)


def is_contention(error: BaseException) -> bool:
    """Whether another transaction was in the way, so that the same may succeed a moment later."""
    return isinstance(error, DBAPIError) and _sqlstate(error).startswith(SQLSTATE_CONTENTION)


def _sqlstate(error: DBAPIError) -> str:
    return getattr(error.orig, "sqlstate", None) or ""


class OutageLog:
    """Logs the beginning and the end of an outage."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._since: float | None = None
        self._ended: float | None = None
        self._writes_failed = False

    def failed(self, error: BaseException, *, writing: bool) -> None:
        """Take note of an error; the first of an outage is logged."""
        if not is_outage(error):
            return
        with self._lock:
            now = time.monotonic()
            if self._since is None and self._ended is not None and now - self._ended < ECHO_SECONDS:
                return
            self._writes_failed = self._writes_failed or writing
            if self._since is not None:
                return
            self._since = now
        cause = getattr(error, "orig", None) or error
        why = (str(cause).splitlines() or [""])[0][:200]
        log.error("the database does not answer: %s: %s", type(cause).__name__, why)

    def succeeded(self, *, writing: bool, began: float) -> None:
        """Take note that the database answered what `began` at that time.

        An answer to what began before the outage does not end it, and after a failed write only a write does.
        """
        if self._since is None or (self._writes_failed and not writing):
            return
        with self._lock:
            if self._since is not None and began < self._since:
                return
            since, self._since, self._writes_failed = self._since, None, False
            self._ended = time.monotonic()
        if since is not None:
            log.warning("the database answers again, after %.0f s", time.monotonic() - since)
