"""Fires on any event of the banking area, known or not, when it passes the filters."""

from triggers.filters import fires

__all__ = ["fires"]
