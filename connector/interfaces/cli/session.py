"""The environment's credential, opened for the length of one command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from connector.core.errors import InputError
from connector.core.messages import say
from connector.runtime.connector import Connector

if TYPE_CHECKING:
    from connector.runtime.session import Session
    from connector.store import Database


@contextmanager
def opened(connector: Connector | None = None) -> Iterator[tuple[Connector, Session]]:
    """The connector and a session; what was counted is on disk when the block ends."""
    connector = connector or Connector()
    try:
        with connector.open() as session:
            yield connector, session
    finally:
        connector.close()


def store_of(connector: Connector) -> Database:
    """The store. One that cannot be opened is found out here, before anything is sent."""
    from sqlalchemy.exc import SQLAlchemyError

    from connector.store.database import data_location

    try:
        return connector.database
    except (OSError, SQLAlchemyError, RuntimeError, ImportError) as error:
        place = data_location()
        if "://" in place:  # the URL of a database holds a password
            place, why = "KONTOR_DATA", type(error).__name__
        else:
            why = getattr(error, "strerror", None) or str(getattr(error, "orig", error))
        message = say("store_unusable", place=place, why=why)
        raise InputError(message, remedy=say("store_unusable_remedy"), field="KONTOR_DATA") from None
