"""The database: SQLite by default, PostgreSQL by URL, with the same code for both."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from connector.store.database.database import Database, open_database

__all__ = ["Database", "open_database"]


def __getattr__(name: str) -> Any:
    """Import the database late: a free read needs only its rate window, and SQLAlchemy takes longer than the read."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from connector.store.database import database

    return getattr(database, name)
