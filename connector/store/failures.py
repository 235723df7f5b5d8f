"""The exceptions by which a database says that it cannot be used right now."""

from __future__ import annotations

import sqlite3

from sqlalchemy.exc import SQLAlchemyError

from connector.core.errors import StoreDown
from connector.core.messages import say
from connector.store.errors import StoreReplaced

DATABASE_ERRORS: tuple[type[Exception], ...] = (SQLAlchemyError, sqlite3.Error, OSError, TimeoutError, StoreReplaced)


def store_down(error: Exception) -> StoreDown:
    """Return what is told of a write that was not sent, since the database could not record it."""
    if isinstance(error, StoreReplaced):
        return StoreDown(error.message, remedy=error.remedy, reason=error.reason)
    return StoreDown(say("store_down", why=type(error).__name__))
