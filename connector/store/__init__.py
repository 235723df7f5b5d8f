"""The database: SQLite by default, PostgreSQL by URL, with the same code for both."""

from connector.store.database import Database, open_database

__all__ = ["Database", "open_database"]
