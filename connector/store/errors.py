"""Errors of the store."""

from __future__ import annotations

from connector.core.errors import KontorError


class StoreRefused(KontorError):
    """The database must not be used by this code, or not with this data key. Trying again does not help."""

    kind = "store_refused"
    default_outcome = "not_sent"
