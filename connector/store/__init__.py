"""What Kontor remembers, in SQL: SQLite by default, PostgreSQL by URL, the same code for both."""

from connector.store.database import Database, open_database

__all__ = ["Database", "open_database"]
