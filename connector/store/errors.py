"""Errors of the store."""

from __future__ import annotations

from connector.core.errors import KontorError


class StoreRefused(KontorError):
    """The database must not be used by this code. Trying again does not help."""

    kind = "store_refused"
    default_outcome = "not_sent"


class StoreReplaced(StoreRefused):
    """The database is not the one that this process opened, see `identity`. What is recorded in it could be lost."""


class DataKeyWrong(StoreRefused):
    """The database must not be used with this data key."""

    exit_status = 3
