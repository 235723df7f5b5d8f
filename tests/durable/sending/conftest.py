"""Senders are tested with the hub's fixtures."""

from hub_fixtures import subscriber

__all__ = ["subscriber"]
