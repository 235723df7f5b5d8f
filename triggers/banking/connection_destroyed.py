"""Fires on the deletion of a bank connection, when it passes the filters."""

from triggers.filters import fires

__all__ = ["fires"]
