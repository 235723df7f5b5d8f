"""Fires on every change of a payment's status, when it passes the filters."""

from triggers.filters import fires

__all__ = ["fires"]
