"""Fires on a payment that waits for an extra confirmation such as a TAN, when it passes the filters."""

from triggers.filters import fires

__all__ = ["fires"]
