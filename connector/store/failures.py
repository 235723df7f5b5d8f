"""The exceptions by which a database says that it cannot be used right now."""

from __future__ import annotations

import sqlite3

from sqlalchemy.exc import SQLAlchemyError

DATABASE_ERRORS: tuple[type[Exception], ...] = (SQLAlchemyError, sqlite3.Error, OSError, TimeoutError)
