"""Steps of the database in a write: before it is sent a failure ends it, afterwards it changes nothing that is told."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from connector.client.steps import Commit, Query, Steps

if TYPE_CHECKING:
    from sqlalchemy import Connection

T = TypeVar("T")
log = logging.getLogger("kontor.runs")


def before_sending(steps: Steps[T] | Commit | Query) -> Steps[Any]:
    """Carry out what precedes the sending: when the database fails, nothing was sent."""
    try:
        return (yield steps) if isinstance(steps, Commit | Query) else (yield from steps)
    except Exception as error:
        from connector.store.database.errors import DATABASE_ERRORS, store_down

        if isinstance(error, DATABASE_ERRORS):
            raise store_down(error) from error
        raise


def try_commit(change: Callable[[Connection], Any], *, durable: bool = True) -> Steps[Any]:
    """Commit a change if the database can, and return what it returns: whatever fails, the caller is told the same."""
    try:
        return (yield Commit(change, durable))
    except Exception as error:
        log.warning("what became of a write was not recorded: %s", type(error).__name__)
        return None
