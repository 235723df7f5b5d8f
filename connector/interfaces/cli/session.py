"""Opens a session with the environment's credential, and the store, for one command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from connector.core.errors import InputError, StoreDown
from connector.core.messages import say
from connector.runtime.connector import Connector

if TYPE_CHECKING:
    from connector.runtime.session import Session
    from connector.store import Database


@contextmanager
def open_session(connector: Connector | None = None) -> Iterator[tuple[Connector, Session]]:
    """Yield the connector and a session; close both at the end."""
    connector = connector or Connector()
    try:
        with connector.open() as session:
            yield connector, session
    finally:
        connector.close()


def open_store(connector: Connector) -> Database:
    """Open the store, or raise before anything is sent: `StoreDown` if it may work later, else an InputError."""
    from sqlalchemy.exc import SQLAlchemyError

    from connector.store.database.errors import is_outage
    from connector.store.database.files import data_location

    try:
        return connector.database
    except (OSError, SQLAlchemyError, RuntimeError, ImportError) as error:
        place = data_location()
        if "://" in place:  # a database URL contains a password
            place, why = "KONTOR_DATA", type(error).__name__
        else:
            why = getattr(error, "strerror", None) or str(getattr(error, "orig", error))
        message = say("store_unusable", place=place, why=why)
        if is_outage(error):
            raise StoreDown(message) from None
        raise InputError(message, remedy=say("store_unusable_remedy"), field="KONTOR_DATA") from None
