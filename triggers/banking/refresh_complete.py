"""Fires on the end of a bank connection's refresh, when it passes the filters."""

from triggers.filters import fires

__all__ = ["fires"]
